"""Calls of endpoints as records, which their users can read."""
