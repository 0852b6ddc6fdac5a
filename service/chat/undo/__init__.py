"""Undo: revert what the tools of a turn have changed in records."""
