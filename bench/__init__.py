"""Measures the service beside two relays in one run. See docs/performance.md."""
