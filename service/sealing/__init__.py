"""Store secrets: encrypted, or as hashes."""
