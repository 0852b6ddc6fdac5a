"""Flask-Migrate, which loads Alembic. Only `flask db` needs it."""

from flask import Flask
from flask_migrate import Migrate, cli

from service.extensions import db

commands = cli.db


def init_app(app: Flask) -> None:
    """Set `app.extensions["migrate"]`, which the commands and migrations/env.py read."""
    Migrate(render_as_batch=True, compare_type=True).init_app(app, db)
