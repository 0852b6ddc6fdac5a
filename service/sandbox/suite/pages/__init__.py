"""The suite's pages for people, at the service's own address."""
