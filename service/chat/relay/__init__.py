"""Running turns for readers beside the clients that have asked, in whichever worker."""
