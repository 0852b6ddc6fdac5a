"""Traces: recording spans, and sending them to a collector. Loaded only where traces are on."""
