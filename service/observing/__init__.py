"""Logs, metrics and the stall alarm."""
