"""One turn: from its admission to its rows."""
