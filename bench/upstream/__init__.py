"""A stand-in for the model providers."""
