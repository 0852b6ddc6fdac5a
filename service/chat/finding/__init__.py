"""Finding chats: the search over titles and messages, and chats as files."""
