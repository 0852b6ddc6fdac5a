"""Requests to other services."""
