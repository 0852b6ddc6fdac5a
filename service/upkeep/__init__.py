"""What operators and the sweeper do to stored rows, in all rooms."""
