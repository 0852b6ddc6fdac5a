"""One call of an endpoint, from its body to its envelope."""
