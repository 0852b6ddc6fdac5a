"""Limits on what one user may do at once and how often, so that others are not held up."""
