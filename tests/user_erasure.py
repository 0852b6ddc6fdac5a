"""Erasing and disabling users of the app under test."""

from flask import Flask
from sqlalchemy import update

from service.auth.models import User
from service.chat.finding import index
from service.extensions import db
from service.upkeep import erasing
from service.upkeep.erasing import ErasureReport


def erase(app: Flask, subject: str = "alice") -> ErasureReport:
    with app.app_context():
        connections = app.extensions["proxy"].connections
        report = erasing.erase(subject, app.extensions["collections"], connections)
        index.forget_deleted()  # as the command does, but for the media
        return report


def disable(app: Flask, subject: str = "alice") -> None:
    """Set only the flag. Running turns are not stopped, so that tests see what happens to them."""
    with app.app_context():
        changed = update(User).where(User.subject == subject).values(disabled=True)
        assert db.session.execute(changed).rowcount == 1
        db.session.commit()
