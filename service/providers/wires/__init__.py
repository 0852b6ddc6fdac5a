"""One module for each request and stream format."""
