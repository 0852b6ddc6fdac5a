"""Users' grants at vendors: consent, refresh, scopes."""
