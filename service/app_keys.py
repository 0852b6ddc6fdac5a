"""Typed keys to the objects in `app.extensions`.

A key is declared beside the type of its value. An object has only a name and no key if the service
itself does not read it, or reads it where its type may not be imported.
"""

from typing import Generic, TypeVar

from flask import Flask

from config import Settings

T = TypeVar("T")


class AppKey(Generic[T]):
    """The key of one extension of an app, by its name there."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def of(self, app: Flask) -> T:
        """Return the app's object. A deferred one is made first (see `lazy.py`)."""
        found: T = app.extensions[self.name]
        return found

    def get(self, app: Flask) -> T | None:
        """Return the app's object, or None if it has none. A deferred one is not made."""
        found: T | None = app.extensions.get(self.name)
        return found

    def set(self, app: Flask, value: T) -> T:
        """Make `value` the app's object, and return it."""
        app.extensions[self.name] = value
        return value


# Here, and not beside `Settings`, because `config` knows nothing of the app.
APP_SETTINGS = AppKey[Settings]("app_settings")
