"""Encryption of what is stored, and the rotation of its keys."""
