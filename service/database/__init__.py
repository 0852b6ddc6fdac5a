"""Access to the database, for its two engines, and its clock."""
