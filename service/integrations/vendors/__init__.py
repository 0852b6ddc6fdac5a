"""One module or package for each vendor's public API, under the API's own name."""
