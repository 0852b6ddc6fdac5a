"""Routes for admins: users and credits, running turns, the state of the service."""
