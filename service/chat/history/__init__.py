"""From a chat's stored rows to the messages of a prompt."""
