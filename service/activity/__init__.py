"""The calls of endpoints as records, which their users read."""
