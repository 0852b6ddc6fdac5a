"""The wires: one module for each request and stream format."""
