"""One turn, from its admission to its stored rows."""
