"""An INSERT that meets a row of the same key."""

from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session


def insert_into(session: Session, table: Table) -> Any:
    """Return an INSERT that knows ON CONFLICT, in the dialect of the session's database."""
    dialect = session.connection().dialect.name
    return (postgresql.insert if dialect == "postgresql" else sqlite.insert)(table)
