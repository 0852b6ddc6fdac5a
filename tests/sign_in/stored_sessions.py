"""The rows of the console's sessions. Their times are moved back instead of the clock forward."""

from datetime import timedelta

from sqlalchemy import select, update

from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.sign_in.models import ConsoleSession


def change(app, **values):
    with app.app_context(), write_transaction() as session:
        session.execute(update(ConsoleSession).values(**values))


def is_due(app):
    """Its token ends in a moment; it has lasted for an hour."""
    change(app, expires_at=from_now(20), updated_at=from_now(-3600), lease_until=None)


def has_expired(app):
    change(app, expires_at=from_now(-1), updated_at=from_now(-3600), failed_at=None)


def pass_time(app, seconds):
    """Shorten the lease of a refresh."""
    with app.app_context():
        until = db.session.scalar(select(ConsoleSession.lease_until))
    change(app, lease_until=until - timedelta(seconds=seconds))


def sessions(app):
    with app.app_context():
        return db.session.query(ConsoleSession).count()
