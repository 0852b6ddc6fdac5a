"""Media that endpoints make: the store, its links, its quotas, its end."""
