"""The pool of database connections."""

from service.extensions import db


def test_the_connection_that_was_used_last_is_used_next(app):
    """It knows the newest pages on SQLite, and needs no ping on PostgreSQL."""
    with app.app_context():
        for _ in range(2):
            with db.engine.connect() as last, db.engine.connect():
                used = last.connection.dbapi_connection
            with db.engine.connect() as following:
                assert following.connection.dbapi_connection is used
