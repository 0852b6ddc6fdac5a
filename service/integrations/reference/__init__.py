"""The reference of the catalog: the page of all endpoints, and a check of its completeness."""
