"""Record collections: declarations, one store, and one permission check."""
