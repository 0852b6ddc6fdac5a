"""What one user may do at once and how often, so that nobody starves the others."""
