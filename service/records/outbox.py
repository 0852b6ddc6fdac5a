"""The outbox: a row for every change, written in the same transaction as the change.

Changes of a record must be read in the order in which they were made. PostgreSQL assigns the id of
a transaction at its first write. So a writer first locks the record: of two changes, the later one
then has the higher id.
"""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    String,
    any_,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.orm import Session

from service.database.access import call_after_commit
from service.database.clock import from_now
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.extensions import table
from service.records.collection import Collection
from service.records.envelope import Envelope
from service.records.models import FeedState, Outbox
from service.times import now

CHANNEL = "records"
RETENTION = timedelta(hours=24)
PRUNE_BATCH = 1000

# Functions that this process calls after it has committed changes on SQLite. They must not wait.
after_write: set[Callable[[], None]] = set()

ChangeAction = Literal["added", "updated", "removed"]
Row = dict[str, Any]

_outbox = table(Outbox)
_xid = cast(cast(func.pg_current_xact_id(), String), BigInteger)
_next_xid = cast(cast(func.pg_snapshot_xmax(func.pg_current_snapshot()), String), BigInteger)
INSERT = Prepared(
    lambda dialect: insert(_outbox).inline().values(xid=_xid if dialect == "postgresql" else 0)
)
NOTIFY = Prepared(text(f"NOTIFY {CHANNEL}"))


def change(
    collection: Collection, owner: str, before: Envelope | None, after: Envelope | None
) -> Row:
    """Return a row of the outbox for the full envelopes before and after a change."""
    either = after or before
    assert either
    action: ChangeAction = "removed" if after is None else "updated" if before else "added"
    if collection.erases_text and after is None:
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
    """Write changes and wake the workers when the transaction commits.

    On SQLite only this worker is woken; others notice the changes by polling.
    """
    INSERT.send_many(connection, rows)
    _wake_workers(connection)


def _wake_workers(connection: Connection) -> None:
    if _is_postgresql(connection):
        NOTIFY.send(connection, {})
    else:
        call_after_commit(connection, _wake)


def _wake() -> None:
    for wake in list(after_write):
        wake()


def erase_text(session: Statements, collection: Collection, owner: str, ids: Iterable[str]) -> None:
    """Erase the text in earlier changes of an owner's records."""
    of_owner = (Outbox.collection == collection.name, Outbox.owner == owner)
    all_ids = list(ids)
    for start in range(0, len(all_ids), 500):
        batch = Outbox.record_id.in_(all_ids[start : start + 500])
        session.execute(update(Outbox).where(*of_owner, batch).values(before=None, after=None))


def append_removals(
    session: Statements, collection: Collection, owner: str, ids: Select[str]
) -> None:
    """Write the removals of an owner's records, and erase the text in their earlier changes.

    `ids` selects the records in their order. It is used in two statements, because statements for
    each of thousands of records would take several times as long.
    """
    connection = session.connection()
    earlier = (_outbox.c.collection == collection.name, _outbox.c.owner == owner)
    erased = update(_outbox).where(*earlier, _is_one_of(connection, ids))
    connection.execute(erased.values(before=None, after=None))
    values = {
        "collection": literal(collection.name),
        "owner": literal(owner),
        "action": literal("removed"),
        "created_at": literal(now(), _outbox.c.created_at.type),
        "xid": _xid if _is_postgresql(connection) else literal(0),
    }
    removals = ids.add_columns(*values.values())
    connection.execute(insert(_outbox).from_select(["record_id", *values], removals))
    _wake_workers(connection)


def _is_one_of(connection: Connection, ids: Select[str]) -> ColumnElement[bool]:
    """Match changes of these records by the index on the owner and the record.

    For IN, PostgreSQL may compare each of the owner's changes with each record. If its statistics
    were old, this took minutes for 100,000 records.
    """
    subquery, record_id = ids.order_by(None), _outbox.c.record_id
    if not _is_postgresql(connection):
        return record_id.in_(subquery)
    return record_id == any_(func.array(subquery.scalar_subquery()))


def _is_postgresql(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def prune(session: Session) -> int:
    """Delete a batch of changes older than `RETENTION` and record the place of the last one.

    Returns how many it has deleted. Call it again until it returns 0. It checks only the first
    changes. If a wrong clock gave them a time in the future, nothing is deleted until then.
    Changes that another transaction has locked are left for a later sweep: an erasure locks a
    user's changes in another order, so that each could wait for the other.
    """
    if _is_postgresql(session.connection()):
        _forget_another_clusters(session)
    limit = from_now(-RETENTION.total_seconds())
    # This uses no index on time, which would cost each change more than this costs a sweep.
    first = select(Outbox.seq, Outbox.xid, Outbox.created_at).order_by(Outbox.xid, Outbox.seq)
    first_ones = first.limit(PRUNE_BATCH).subquery().c
    old = select(first_ones.seq, first_ones.xid).where(first_ones.created_at < limit)
    rows = session.execute(old.order_by(first_ones.xid, first_ones.seq)).all()
    if rows:
        last = rows[-1]
        # Later changes may be pruned already: by another worker, or because another host's clock
        # has given these a later time.
        is_earlier = tuple_(FeedState.pruned_xid, FeedState.pruned_seq) < (last.xid, last.seq)
        pruned = update(FeedState).where(is_earlier)
        session.execute(pruned.values(pruned_xid=last.xid, pruned_seq=last.seq))
        free = select(Outbox.seq).where(Outbox.seq.in_([row.seq for row in rows]))
        unlocked = session.scalars(free.with_for_update(skip_locked=True)).all()
        session.execute(delete(Outbox).where(Outbox.seq.in_(unlocked)))
        return len(unlocked)
    return 0


def _forget_another_clusters(session: Session) -> None:
    """Delete the changes of the cluster from which this database was restored.

    Their transaction ids are higher than this cluster's, so the feed would wait until the cluster
    has reached them. No cursor from before the restore is valid, so nobody misses these changes.
    """
    session.execute(delete(Outbox).where(Outbox.xid >= _next_xid))
    ahead = update(FeedState).where(FeedState.pruned_xid >= _next_xid)
    session.execute(ahead.values(pruned_xid=0, pruned_seq=0))
