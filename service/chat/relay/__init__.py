"""Running turns for readers other than the client that asked, in any worker."""
