"""Typed keys to the objects in `app.extensions`.

A key is declared beside the type of its value. Objects that the service itself does not read, or
that it reads where their type may not be imported, have only a name.
"""

from typing import Generic, TypeVar

from flask import Flask

T = TypeVar("T")


class AppKey(Generic[T]):
    """The key of one extension of an app, by its name there."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def of(self, app: Flask) -> T:
        """The app's own. A deferred one is made (see `lazy.py`)."""
        found: T = app.extensions[self.name]
        return found

    def get(self, app: Flask) -> T | None:
        """The app's own, or None if it has none."""
        found: T | None = app.extensions.get(self.name)
        return found

    def set(self, app: Flask, value: T) -> T:
        """Make a value the app's own, and return it."""
        app.extensions[self.name] = value
        return value
