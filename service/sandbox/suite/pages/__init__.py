"""The suite's pages for people, on the address of the service itself."""
