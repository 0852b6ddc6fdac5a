"""Read changes from the outbox in their order.

Only settled changes are read: those that no later commit can precede.
"""

import json
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, String, cast, func, select, text
from sqlalchemy.orm import Session

from service.extensions import db
from service.records.collection import Collection
from service.records.cursor import Cursor, Position, Snapshot
from service.records.envelope import Envelope, redact
from service.records.models import FeedState
from service.records.outbox import ChangeAction
from service.records.pages import PAGE, PAGE_BYTES, rows_after
from service.web.json_values import encode

_SQLITE_NEWEST = text("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'")
# Transaction ids begin again in a restored database. This distinguishes it from the original.
_POSTGRESQL_EPOCH = text(
    "SELECT system_identifier::text || '-' || (SELECT oid FROM pg_database "
    "WHERE datname = current_database())::text FROM pg_control_system()"
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
        if cursor.snapshot:  # soon after subscribing; other subscribers rarely have the same one
            return self._encode(action, collection, role, cursor)
        key = action, role if any(column.roles for column in collection.columns) else None
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
    """Some changes in a row.

    `is_last` tells whether there were no more at the time of the read, and `has_unsettled` whether
    others can't be read until an older transaction ends.
    """

    changes: list[Change]
    is_last: bool
    has_unsettled: bool


@dataclass(frozen=True)
class ChangeFilter:
    """Changes to select: those of some collections and of one owner, or of all if it is None."""

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
    epoch = epoch_of(session)
    if not _is_postgresql(session):
        return Cursor(epoch, Position(0, session.scalar(_SQLITE_NEWEST) or 0))
    snapshot = session.scalar(select(cast(func.pg_current_snapshot(), String)))
    begin, end, running = str(snapshot).split(":")
    ids = tuple(int(xid) for xid in running.split(",") if xid)
    return Cursor(epoch, Position(int(begin), 0), Snapshot(int(end), ids))


def can_resume(session: Session, cursor: Cursor) -> bool:
    """Whether the feed can resume at a cursor.

    The cursor must be of this database, and no later change may have been pruned. One with a
    snapshot of the future is forged: the feed would never pass it.
    """
    if cursor.epoch != epoch_of(session):
        return False
    newest = current_cursor(session)
    end = newest.snapshot.end if newest.snapshot else newest.position.seq
    place = cursor.position.xid if newest.snapshot else cursor.position.seq
    if cursor.snapshot and (not newest.snapshot or cursor.snapshot.end > end):
        return False
    return cursor.position >= pruned_position(session) and place <= end


def pruned_position(session: Session) -> Position:
    """Return the position of the last change that was pruned."""
    row = session.execute(select(FeedState.pruned_xid, FeedState.pruned_seq)).one()
    return Position(row.pruned_xid, row.pruned_seq)


_epochs: dict[str, str] = {}


def epoch_of(session: Session) -> str:
    """Return an id of this database, which changes when it is restored from a backup."""
    url = str(db.engine.url)
    if url not in _epochs:
        epoch = session.scalar(select(FeedState.epoch)) or ""
        system = session.scalar(_POSTGRESQL_EPOCH) if _is_postgresql(session) else ""
        _epochs[url] = epoch + system
    return _epochs[url]


def _is_postgresql(session: Session) -> bool:
    return session.connection().dialect.name == "postgresql"
