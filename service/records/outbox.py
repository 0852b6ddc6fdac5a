"""The outbox: a row for every change, written in the transaction that makes it.

Changes of one record must be read in the order in which they were made. PostgreSQL gives a
transaction its id at its first write, so a writer first waits its turn for the record, and only
then writes: of two changes, the later one then has the higher id.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    Connection,
    Insert,
    String,
    bindparam,
    cast,
    delete,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.orm import Session

from service.clock import from_now
from service.extensions import now, table
from service.records.collection import Collection
from service.records.envelope import Envelope
from service.records.models import Feed, Outbox

CHANNEL = "records"
KEPT = timedelta(hours=24)
PRUNED_AT_ONCE = 1000

Change = Literal["added", "updated", "removed"]
Row = dict[str, Any]

_outbox = table(Outbox)
_xid = cast(cast(func.pg_current_xact_id(), String), BigInteger)
INSERT: dict[str, Insert] = {
    "sqlite": insert(_outbox).values(xid=0),
    "postgresql": insert(_outbox).values(xid=_xid),
}
NOTIFY = text(f"NOTIFY {CHANNEL}")
TAKE_TURN = select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("key"), 0)))


def take_turn(connection: Connection, key: str) -> None:
    """Wait until no other transaction changes records of this group; before any other write."""
    if connection.dialect.name == "postgresql":
        connection.execute(TAKE_TURN, {"key": key})


def change(
    collection: Collection, owner: str, before: Envelope | None, after: Envelope | None
) -> Row:
    """A row of the outbox, from the full envelopes before and after."""
    either = after or before
    assert either
    action: Change = "removed" if after is None else "updated" if before else "added"
    if collection.forgets and after is None:
        before = None
    return {
        "collection": collection.name,
        "record_id": either["recordId"],
        "owner": owner,
        "action": action,
        "before": before,
        "after": after,
        "created_at": now(),
    }


def append(connection: Connection, rows: list[Row]) -> None:
    """Write changes and, on PostgreSQL, wake the workers when the transaction commits."""
    dialect = connection.dialect.name
    connection.execute(INSERT[dialect], rows)
    if dialect == "postgresql":
        connection.execute(NOTIFY)


def forget(session: Session, collection: Collection, owner: str, ids: Iterable[str]) -> None:
    """Take the text out of earlier changes of an owner's records."""
    theirs = (Outbox.collection == collection.name, Outbox.owner == owner)
    listed = list(ids)
    for start in range(0, len(listed), 500):
        some = Outbox.record_id.in_(listed[start : start + 500])
        session.execute(update(Outbox).where(*theirs, some).values(before=None, after=None))


def prune(session: Session) -> int:
    """Delete a batch of changes older than `KEPT`, and note how far; how many, 0 is the end."""
    old = select(Outbox.seq, Outbox.xid).where(Outbox.created_at < from_now(-KEPT.total_seconds()))
    found = session.execute(old.order_by(Outbox.xid, Outbox.seq).limit(PRUNED_AT_ONCE)).all()
    if found:
        last = found[-1]
        session.execute(update(Feed).values(pruned_xid=last.xid, pruned_seq=last.seq))
        session.execute(delete(Outbox).where(Outbox.seq.in_([row.seq for row in found])))
    return len(found)
