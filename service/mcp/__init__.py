"""`POST /mcp`: the assistant's tools for clients of the Model Context Protocol."""
