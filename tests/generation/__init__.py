"""Round trips to a model."""
