"""Encryption of what is stored."""
