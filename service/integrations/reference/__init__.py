"""What people read of the catalog: the page of all endpoints, and whether nothing is missing."""
