"""The catalog of endpoints as tools of the assistant."""
