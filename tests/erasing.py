"""Erasing a user of the app under test."""

from flask import Flask

from service.upkeep import erasing
from service.upkeep.erasing import ErasureReport


def erase(app: Flask, subject: str = "alice") -> ErasureReport:
    with app.app_context():
        connections = app.extensions["proxy"].connections
        return erasing.erase(subject, app.extensions["collections"], connections)
