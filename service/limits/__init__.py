"""Limits on what one user may do at once and how often, so that no user can block others."""
