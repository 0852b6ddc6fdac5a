"""Changes of stored rows by operators and by the sweeper, in all rooms."""
