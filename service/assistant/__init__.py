"""The catalog of endpoints, offered to the assistant as tools."""
