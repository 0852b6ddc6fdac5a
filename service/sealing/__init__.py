"""How secrets are stored: encrypted, or as hashes."""
