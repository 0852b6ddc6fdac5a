"""Limited tokens for callers."""
