"""Authentication: bearer tokens, users and roles."""
