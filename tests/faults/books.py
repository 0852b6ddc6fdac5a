"""What the database itself says of records and their changes, and changes put there in bulk."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from sqlalchemy import select, text

from service import create_app
from service.database import write_transaction
from service.extensions import db, timestamp
from service.records import outbox
from service.records.envelope import full_envelope
from service.records.models import Outbox, Record
from tests.faults.follower import Told
from tests.services import settings_for


@contextmanager
def within(database_url: str) -> Iterator[Flask]:
    """An app of the test's own on a service's database, in its context."""
    app = create_app(settings_for(database_url))
    with app.app_context():
        yield app
        db.session.remove()
        db.engine.dispose()
    app.extensions["upstream"].close()


def stored(app: Flask, owner: str, collection: str = "notes") -> dict[str, dict[str, Any]]:
    """The records themselves, by their ids."""
    declared = app.extensions["collections"].named(collection)
    rows = db.session.scalars(select(Record).filter_by(collection=collection, owner=owner))
    return {row.record_id: full_envelope(declared, row) for row in rows}


def announced(owner: str, collection: str = "notes") -> list[Told]:
    """Every change in the outbox, in the order of the feed and as a subscriber is told of it."""
    rows = select(Outbox).filter_by(collection=collection, owner=owner)
    found = db.session.scalars(rows.order_by(Outbox.xid, Outbox.seq))
    return [(row.action, row.after or {"recordId": row.record_id}) for row in found]


def announce(app: Flask, owner: str, collection: str, ids: list[str], data: Any) -> None:
    """Append a new record's change for each id, without the records."""
    declared = app.extensions["collections"].named(collection)
    moment = timestamp(outbox.now())
    envelopes = ({"recordId": id, "data": data, "createdAt": moment, "updatedAt": moment}
                 for id in ids)  # fmt: skip
    with write_transaction() as session:
        rows = [outbox.change(declared, owner, None, one) for one in envelopes]
        outbox.append(session.connection(), rows)
        if session.connection().dialect.name == "postgresql":
            session.execute(text("ANALYZE outbox"))  # as autovacuum does, within a minute
