"""Read records and changes from the database itself, and add changes in bulk."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from flask import Flask
from sqlalchemy import make_url, select, text

from service import create_app
from service.database.access import write_transaction
from service.extensions import db
from service.records import outbox
from service.records.envelope import full_envelope
from service.records.models import Outbox, Record
from service.times import timestamp
from tests.faults.follower import Message
from tests.services import close, settings_for


@contextmanager
def app_of(database_url: str, **settings: Any) -> Iterator[Flask]:
    """Yield an app of the test's own on a service's database, in its context."""
    app = create_app(settings_for(database_url, **settings))
    try:
        with app.app_context():
            yield app
            db.session.remove()
    finally:
        close(app)


@contextmanager
def sqlite_file_of(database_url: str) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a service's SQLite file, which begins no transaction by itself."""
    path = make_url(database_url).database
    assert path
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as connection:
        yield connection


def stored_records(app: Flask, owner: str, collection: str = "notes") -> dict[str, dict[str, Any]]:
    """Return the stored records by their ids."""
    declared = app.extensions["collections"].get(collection)
    rows = db.session.scalars(select(Record).filter_by(collection=collection, owner=owner))
    return {row.record_id: full_envelope(declared, row) for row in rows}


def outbox_messages(owner: str, collection: str = "notes") -> list[Message]:
    """Return the changes in the outbox in the order of the feed, as a subscriber receives them."""
    rows = select(Outbox).filter_by(collection=collection, owner=owner)
    rows = db.session.scalars(rows.order_by(Outbox.xid, Outbox.seq))
    return [(row.action, row.after or {"recordId": row.record_id}) for row in rows]


def announce(app: Flask, owner: str, collection: str, ids: list[str], data: Any) -> None:
    """Append a new record's change for each id, without the records."""
    declared = app.extensions["collections"].get(collection)
    moment = timestamp(outbox.now())
    envelopes = ({"recordId": id, "data": data, "createdAt": moment, "updatedAt": moment}
                 for id in ids)  # fmt: skip
    with write_transaction() as session:
        rows = [outbox.change(declared, owner, None, one) for one in envelopes]
        outbox.append(session.connection(), rows)
        if session.connection().dialect.name == "postgresql":
            session.execute(text("ANALYZE outbox"))  # as autovacuum does, within a minute
