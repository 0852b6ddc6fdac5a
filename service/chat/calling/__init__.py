"""The tool calls of a step: what each call needs from the user, and which run in parallel."""
