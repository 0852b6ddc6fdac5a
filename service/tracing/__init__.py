"""Traces: record spans and send them to a collector. Loaded only if traces are on."""
