"""Describe for operators why the database can't be used."""

import sqlite3
from typing import Any

from sqlalchemy.exc import SQLAlchemyError, TimeoutError

from service.database import sqlite
from service.database.access import is_outage, postgresql

IS_DENIED = "42501"  # PostgreSQL's code
DENIED = "permission denied: the role in DATABASE_URL has to own the database and its tables"
UNREADABLE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def failure_of(error: SQLAlchemyError) -> str | None:
    """Return why the database can't be used, or None if the fault is in a statement.

    The text contains no values. It repeats the driver's message only for errors of connections,
    files, locks and resources.
    """
    if isinstance(error, TimeoutError):
        return "no connection of the pool became free"
    reason: Any = getattr(error, "orig", None)
    if getattr(reason, "sqlstate", None) == IS_DENIED:
        return DENIED
    if not (is_outage(error) or sqlite.primary_code(reason) in UNREADABLE):
        return None
    is_of_sqlite = reason is None or isinstance(reason, sqlite3.Error)
    words = reason if is_of_sqlite else postgresql.words_of(reason)
    return f"the database can't be used: {words}" if words else "the database does not answer"
