"""The database of the app under test: its rows, changes made beside the app, and its locks."""

from contextlib import contextmanager

import gevent
from sqlalchemy import event, inspect, text
from sqlalchemy.exc import OperationalError

from service.database import sqlite
from service.database.access import write_transaction
from service.extensions import db
from tests.postgres import LOCK_WAITS


def rows(app, query):
    with app.app_context():
        found = db.session.scalars(query).all()
        db.session.commit()
    return found


def execute_write(app, statement):
    with app.app_context(), write_transaction() as session:
        return session.execute(statement)


def all_rows_as_text(app) -> str:
    """Every row of every table, as text."""
    return repr(list(rows_by_table(app).values()))


def rows_by_table(app):
    """Return the rows of each table that has any."""
    with app.app_context():
        tables = inspect(db.engine).get_table_names()
        # A row of SQLAlchemy's leaves out the middle of long values when it is made text.
        cursor = db.session.connection().connection.cursor()
        rows = {t: cursor.execute(f'SELECT * FROM "{t}"').fetchall() for t in tables}  # noqa: S608
        db.session.commit()
    return {name: found for name, found in rows.items() if found}


@contextmanager
def lost_at(app, beginning: str):
    """Lose the database whenever it is given a statement that begins so."""

    def lose(_connection, _cursor, statement, *_more):
        if statement.startswith(beginning):
            gevent.sleep(0.01)  # a response may become a stream meanwhile
            raise OperationalError(statement, {}, Exception(), connection_invalidated=True)

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", lose)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", lose)


def is_lock_awaited() -> bool:
    """Return whether another greenlet waits for a lock of the write transaction of this one."""
    if db.engine.dialect.name == "sqlite":
        return sqlite.writer_lock._lock.linkcount() > 0
    return lock_waits() > 0


def lock_waits() -> int:
    """How many connections to the app's PostgreSQL wait for a lock."""
    with db.engine.connect() as other:
        return other.scalar(text(LOCK_WAITS))
