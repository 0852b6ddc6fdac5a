"""Stand-ins for all upstreams, so that the whole service can be tried without a key."""
