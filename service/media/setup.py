"""Set up the store of media and its sweeper by the settings."""

from flask import Flask

from config import ConfigError, Settings
from service.media.directory import Directory
from service.media.store import MEDIA_STORE, MIB, MediaStore
from service.media.sweeping import MEDIA_SWEEPER, MediaSweeper


def set_up(app: Flask, settings: Settings) -> None:
    """Set the app's `MEDIA_STORE` and `MEDIA_SWEEPER`. Raises `ConfigError`."""
    try:
        directory = Directory(settings.media_dir) if settings.media_dir else None
    except OSError as error:
        reason = f"must be a directory that can be written ({type(error).__name__})"
        raise ConfigError(f"MEDIA_DIR: {reason}") from None
    quota = settings.media_quota * MIB
    store = MEDIA_STORE.set(app, MediaStore(app, directory, quota, settings.own_url))
    MEDIA_SWEEPER.set(app, MediaSweeper(app, store, directory))
