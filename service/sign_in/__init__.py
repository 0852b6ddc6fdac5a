"""Sign-in of people at an identity provider, and the console's sessions that it creates."""
