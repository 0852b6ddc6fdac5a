"""Erasing and disabling users of the app under test."""

from flask import Flask

from service.chat.finding import index
from service.upkeep import erasing, rights
from service.upkeep.erasing import ErasureReport


def erase(app: Flask, subject: str = "alice") -> ErasureReport:
    with app.app_context():
        connections = app.extensions["proxy"].connections
        report = erasing.erase(subject, app.extensions["collections"], connections)
        index.forget_deleted()  # as the command does, but for the media
        return report


def disable(app: Flask, subject: str = "alice") -> None:
    with app.app_context():
        assert rights.set_disabled(subject, True)
