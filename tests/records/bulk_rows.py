"""Many large records and changes, written in one transaction: by HTTP each takes its own."""

import uuid
from typing import Any

from sqlalchemy import insert, select

from service.database.access import write_transaction
from service.extensions import db
from service.records import outbox
from service.records.envelope import full_envelope
from service.records.models import Record
from service.times import timestamp
from tests.faults.database_rows import app_of
from tests.services import Service

MANY = 400  # of 20 KB: more than the kernel buffers for a client that does not read
TEXT = "x" * 20_000


def fill(service: Service, owner: str, count: int = MANY, text: str = TEXT) -> list[dict[str, Any]]:
    """Insert `count` notes of a user without their changes; return them, newest last."""
    rows = [{"record_id": uuid.uuid4().hex, "collection": "notes", "owner": owner,
             "data": {"title": str(number), "text": text}} for number in range(count)]  # fmt: skip
    with app_of(service.database_url) as app:
        with write_transaction() as session:
            session.execute(insert(Record), rows)
        notes = app.extensions["collections"].get("notes")
        found = select(Record).filter_by(collection="notes", owner=owner).order_by(Record.seq)
        return [full_envelope(notes, row) for row in db.session.scalars(found)]


def announce(service: Service, owner: str) -> None:
    """Append the changes of `MANY` new notes of a user, without the notes."""
    with app_of(service.database_url) as app, write_transaction() as session:
        notes, moment = app.extensions["collections"].get("notes"), timestamp(outbox.now())
        times = {"createdAt": moment, "updatedAt": moment}
        envelopes = [{"recordId": uuid.uuid4().hex, "data": {"title": str(number), "text": TEXT},
                      **times} for number in range(MANY)]  # fmt: skip
        changes = [outbox.change(notes, owner, None, one) for one in envelopes]
        outbox.append(session.connection(), changes)
