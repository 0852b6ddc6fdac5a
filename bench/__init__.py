"""The service's figures beside those of two relays, in one run. See docs/performance.md."""
