"""The tool calls of a step: what each needs from the user first, and which run at once."""
