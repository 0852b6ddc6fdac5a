"""Record collections: declared once, read through one store and one permission check."""
