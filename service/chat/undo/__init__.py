"""Taking back what the tools of a turn have done to records."""
