"""A soak: half of what one worker can do, for long, and whether anything grows meanwhile."""
