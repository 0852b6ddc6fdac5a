"""Finding chats: the search over titles and messages, and the export of chats as files."""
