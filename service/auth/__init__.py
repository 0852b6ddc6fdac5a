"""Who is calling: bearer tokens, users and roles."""
