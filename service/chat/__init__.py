"""Chats, their messages, and the turn that answers one."""
