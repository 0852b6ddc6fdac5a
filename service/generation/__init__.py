"""One round trip to a model: its request, its time limits, its usage and its cost."""
