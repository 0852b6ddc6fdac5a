"""Read changes from the outbox in their order.

Only settled changes are read. A change is settled when no later commit can come before it.
"""

import json
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, text
from sqlalchemy.orm import Session

from service.extensions import db
from service.records.collection import Collection
from service.records.cursor import Cursor, Position, Snapshot
from service.records.envelope import Envelope, redact
from service.records.models import FeedState
from service.records.outbox import ChangeAction
from service.records.pages import PAGE, PAGE_BYTES, rows_after
from service.web.json_values import encode

_SQLITE_PLACE = text(
    "SELECT epoch, (SELECT seq FROM sqlite_sequence WHERE name = 'outbox') AS newest FROM feed"
)
# The epoch changes when transaction ids are assigned a second time. In a restored database they
# begin again, which its oid shows. A standby that takes over assigns again the ids that it has not
# received, which the timeline shows; the name of a log file begins with it. Aurora has no functions
# for its log without logical replication, but its standbys lack no transactions.
_POSTGRESQL_PLACE = text(
    "SELECT concat_ws('-', epoch || system_identifier, "
    "(SELECT oid FROM pg_database WHERE datname = current_database()), "
    "CASE WHEN NOT pg_is_in_recovery() "
    "AND coalesce(current_setting('rds.logical_replication', true), 'on') = 'on' "
    "THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END) AS epoch, "
    "pg_current_snapshot()::text AS snapshot FROM feed, pg_control_system()"
)


@dataclass(frozen=True)
class Change:
    """A row of the outbox.

    `before` and `after` are full envelopes or None; `size` is the length of their JSON in bytes.
    """

    position: Position
    collection: str
    record_id: str
    owner: str
    action: ChangeAction
    before: Envelope | None
    after: Envelope | None
    size: int
    created_at: datetime | None = None
    texts: dict[Any, bytes] = field(default_factory=dict, compare=False)

    def text(
        self, action: ChangeAction, collection: Collection, role: str, cursor: Cursor
    ) -> bytes:
        """Return the message for a role, without its beginning, which differs by subscription."""
        if cursor.snapshot:  # soon after a subscription begins; others rarely have the same one
            return self._encode(action, collection, role, cursor)
        key = action, cursor.view
        if key not in self.texts:
            self.texts[key] = self._encode(action, collection, role, cursor)
        return self.texts[key]

    def _encode(
        self, action: ChangeAction, collection: Collection, role: str, cursor: Cursor
    ) -> bytes:
        if action == "removed":
            record = json.dumps({"recordId": self.record_id}, ensure_ascii=False)
        else:
            assert self.after
            record = encode(redact(collection, self.after, role))
        return f'"action":"{action}","record":{record},"cursor":"{cursor}"}}'.encode()


@dataclass(frozen=True)
class ChangePage:
    """Consecutive changes.

    `is_last` tells whether there were no more at the time of the read, and `has_unsettled` whether
    there are others that can't be read until an older transaction ends.
    """

    changes: list[Change]
    is_last: bool
    has_unsettled: bool


@dataclass(frozen=True)
class ChangeFilter:
    """Selects changes of some collections and of one owner, or of all owners if it is None."""

    collections: tuple[str, ...]
    owner: str | None


def read(connection: Connection, after: Position, only: ChangeFilter | None = None) -> ChangePage:
    """Return the next changes, at most `PAGE`."""
    params: dict[str, Any] = {"seq": after.seq}
    if connection.dialect.name == "postgresql":
        params["xid"] = after.xid
    if only:
        params["collections"] = only.collections
        if only.owner is not None:
            params["owner"] = only.owner
    page: list[Change] = []
    bytes_, has_unsettled = 0, False
    with closing(rows_after(connection, params)) as rows:
        for row in rows:
            has_unsettled = bool(row.unsettled)
            if row.seq is None:
                break
            page.append(Change(Position(row.xid, row.seq), *row[3:]))
            bytes_ += row.size
            if bytes_ >= PAGE_BYTES:
                break
    return ChangePage(page, len(page) < PAGE and bytes_ < PAGE_BYTES, has_unsettled)


def begin_snapshot(session: Session) -> None:
    """Make all reads of this transaction see one snapshot. Call it before the first read."""
    if db.engine.dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def current_cursor(session: Session) -> Cursor:
    """Return the cursor of this transaction's snapshot of the records."""
    return cursor_of(session.connection())


def cursor_of(connection: Connection) -> Cursor:
    """Return the cursor of a connection's snapshot."""
    if connection.dialect.name != "postgresql":
        epoch, newest = connection.execute(_SQLITE_PLACE).one()
        return Cursor(epoch, Position(0, newest or 0))
    epoch, snapshot = connection.execute(_POSTGRESQL_PLACE).one()
    begin, end, running = snapshot.split(":")
    ids = tuple(int(xid) for xid in running.split(",") if xid)
    return Cursor(epoch, Position(int(begin), 0), Snapshot(int(end), ids))


def can_resume(session: Session, cursor: Cursor) -> bool:
    """Return whether the feed can resume at a cursor.

    The cursor must be of this database, and no later change may have been pruned. A cursor with a
    snapshot of the future is forged: the feed would never pass that snapshot.
    """
    newest = current_cursor(session)
    if cursor.epoch != newest.epoch:
        return False
    end = newest.snapshot.end if newest.snapshot else newest.position.seq
    place = cursor.position.xid if newest.snapshot else cursor.position.seq
    if cursor.snapshot and (not newest.snapshot or cursor.snapshot.end > end):
        return False
    return cursor.position >= pruned_position(session) and place <= end


def pruned_position(session: Session) -> Position:
    """Return the position of the last pruned change."""
    row = session.execute(select(FeedState.pruned_xid, FeedState.pruned_seq)).one()
    return Position(row.pruned_xid, row.pruned_seq)
