"""The store of media and its sweeper, as the settings want them."""

from flask import Flask

from config import ConfigError, Settings
from service.media.directory import Directory
from service.media.store import MIB, MediaStore
from service.media.sweeping import MediaSweeper


def set_up(app: Flask, settings: Settings) -> None:
    """Set `app.extensions["media"]` and `["media_sweeper"]`. Raises `ConfigError`."""
    try:
        directory = Directory(settings.media_dir) if settings.media_dir else None
    except OSError as error:
        reason = f"must be a directory that can be written ({type(error).__name__})"
        raise ConfigError(f"MEDIA_DIR: {reason}") from None
    quota = settings.media_quota * MIB
    store = app.extensions["media"] = MediaStore(app, directory, quota, settings.own_url)
    app.extensions["media_sweeper"] = MediaSweeper(app, store, directory)
