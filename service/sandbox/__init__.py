"""Stand-ins for every upstream, so that all of the service can be tried without a key."""
