"""Receive PostgreSQL's notifications of commits that have changed records (`NOTIFY`)."""

import gevent
import structlog
from flask import Flask
from gevent.event import Event

from service.database.access import postgresql
from service.extensions import db
from service.records import outbox

RETRY_SECONDS = 1.0

log = structlog.get_logger("feed")


def listen(app: Flask, wake: Event) -> None:
    """Set `wake` at every notification, until killed. For lost ones, the feed polls as well."""
    while True:
        try:
            with app.app_context():
                connection = postgresql.connect_alone(db.engine.url)
            with connection:
                connection.execute(f"LISTEN {outbox.CHANNEL}")
                wake.set()
                for _ in connection.notifies():
                    wake.set()
        except postgresql.Error as error:
            log.warning("not listening", error=type(error).__name__)
        gevent.sleep(RETRY_SECONDS)
