"""One module for each public API that an endpoint speaks, under that API's own name."""
