"""Reading the outbox: changes in their order, as far as nothing can come in between any more."""

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    String,
    Text,
    bindparam,
    cast,
    func,
    literal,
    literal_column,
    select,
    text,
)
from sqlalchemy import tuple_ as row_of
from sqlalchemy.orm import Session

from service.extensions import db, table
from service.json_values import encode
from service.records.collection import Collection
from service.records.cursor import Cursor, Position, Snapshot
from service.records.envelope import Envelope, seen_by
from service.records.models import Feed, Outbox
from service.records.outbox import Change as Action

PAGE = 50
PAGE_BYTES = 1 << 20  # after which a page takes no further change

_outbox = table(Outbox)
_horizon = cast(cast(func.pg_snapshot_xmin(func.pg_current_snapshot()), String), BigInteger).label(
    "horizon"
)
_SQLITE_NEWEST = text("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'")
# Transaction ids begin anew in a restored database: this tells it from the one before.
_POSTGRESQL_EPOCH = text(
    "SELECT system_identifier::text || '-' || (SELECT oid FROM pg_database "
    "WHERE datname = current_database())::text FROM pg_control_system()"
)


@dataclass(frozen=True)
class Change:
    """A row of the outbox; `before` and `after` are full envelopes or None, `size` is their JSON's
    in bytes."""

    position: Position
    collection: str
    record_id: str
    owner: str
    action: Action
    before: Envelope | None
    after: Envelope | None
    size: int
    texts: dict[Any, bytes] = field(default_factory=dict, compare=False)

    def told(self, action: Action, collection: Collection, role: str, cursor: Cursor) -> bytes:
        """What a role is told of it, but for how the message begins."""
        if cursor.snapshot:  # only soon after subscribing, and hardly anybody else's
            return self._told(action, collection, role, cursor)
        key = action, role if any(column.roles for column in collection.columns) else None
        if key not in self.texts:
            self.texts[key] = self._told(action, collection, role, cursor)
        return self.texts[key]

    def _told(self, action: Action, collection: Collection, role: str, cursor: Cursor) -> bytes:
        if action == "removed":
            record = json.dumps({"recordId": self.record_id}, ensure_ascii=False)
        else:
            assert self.after
            record = encode(seen_by(collection, self.after, role))
        return f'"action":"{action}","record":{record},"cursor":"{cursor}"}}'.encode()


@dataclass(frozen=True)
class Scope:
    """Whose changes are wanted: of some collections, and of one owner unless it is None."""

    collections: tuple[str, ...]
    owner: str | None


def read(session: Session, after: Position, scope: Scope | None = None) -> list[Change]:
    """The next changes, at most `PAGE`; none when there are no more."""
    asked: dict[str, Any] = {"seq": after.seq}
    if _postgresql(session):
        asked["xid"] = after.xid
    if scope:
        asked["collections"] = scope.collections
        if scope.owner is not None:
            asked["owner"] = scope.owner
    found: list[Change] = []
    bytes_ = 0
    with session.execute(_page(*asked), asked) as rows:
        for row in rows:
            found.append(Change(Position(row.xid, row.seq), *row[2:]))
            bytes_ += row.size
            if bytes_ >= PAGE_BYTES:
                break
    return found


@cache
def _page(*asked: str) -> Select[Any]:
    """Built once, for it is read at every change."""
    return _of_sqlite(asked) if "xid" not in asked else _of_postgresql(asked)


def _of_sqlite(asked: tuple[str, ...]) -> Select[Any]:
    c = _outbox.c
    later = select(*_columns(c)).where(c.seq > bindparam("seq")).order_by(c.seq)
    # Joined to nothing, so that no index leads through every change of the collection.
    return _in_scope(later, asked, c.collection + "", c.owner).limit(PAGE)


def _of_postgresql(asked: tuple[str, ...]) -> Select[Any]:
    """OFFSET has the changes read in their order, up to the last that is wanted; else all of them
    would be sorted for every page. It adds up the sizes, for what it finds comes all at once, and
    a page of the largest records takes hundreds of megabytes."""
    c = _outbox.c
    place = row_of(bindparam("xid", type_=BigInteger), bindparam("seq", type_=BigInteger))
    settled = select(*c).where(row_of(c.xid, c.seq) > place, c.xid < _horizon)
    later = settled.order_by(c.xid, c.seq).offset(literal_column("0")).subquery()
    wanted = _in_scope(select(*_columns(later.c)), asked, later.c.collection, later.c.owner)
    page = wanted.limit(PAGE).subquery()
    sizes = func.sum(page.c.size).over(order_by=(page.c.xid, page.c.seq), rows=(None, -1))
    summed = select(page, func.coalesce(sizes, 0).label("ahead")).subquery()
    kept = select(*(summed.c[column.name] for column in page.c))
    return kept.where(summed.c.ahead < PAGE_BYTES).order_by(summed.c.xid, summed.c.seq)


def _columns(c: Any) -> list[ColumnElement[Any]]:
    """As a `Change` has them; the size is that of its JSON, which is ASCII."""
    before, after = (func.coalesce(func.length(cast(e, Text)), 0) for e in (c.before, c.after))
    stored = [c.xid, c.seq, c.collection, c.record_id, c.owner, c.action, c.before, c.after]
    return [*stored, (before + after).label("size")]


def _in_scope(
    statement: Select[Any],
    asked: tuple[str, ...],
    collection: ColumnElement[str],
    owner: ColumnElement[str],
) -> Select[Any]:
    if "collections" in asked:
        statement = statement.where(collection.in_(bindparam("collections", expanding=True)))
    return statement.where(owner == bindparam("owner")) if "owner" in asked else statement


def unsettled(session: Session) -> bool:
    """Whether there are changes that an older, still open transaction keeps back."""
    if not _postgresql(session):
        return False
    held_back = select(literal(1)).where(_outbox.c.xid >= _horizon)
    return bool(session.scalar(select(held_back.exists())))


def begin_snapshot(session: Session) -> None:
    """What this transaction reads is all of one moment; to be called before it reads anything."""
    if db.engine.dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def here(session: Session) -> Cursor:
    """The cursor that this transaction's own snapshot of the records stands for."""
    epoch = epoch_of(session)
    if not _postgresql(session):
        return Cursor(epoch, Position(0, session.scalar(_SQLITE_NEWEST) or 0))
    shown = session.scalar(select(cast(func.pg_current_snapshot(), String)))
    begin, end, running = str(shown).split(":")
    ids = tuple(int(xid) for xid in running.split(",") if xid)
    return Cursor(epoch, Position(int(begin), 0), Snapshot(int(end), ids))


def is_known(session: Session, cursor: Cursor) -> bool:
    """Whether the feed can go on from a cursor: it is of this database, and nothing after it has
    been pruned."""
    if cursor.epoch != epoch_of(session):
        return False
    newest = here(session)
    beyond = newest.snapshot.end if newest.snapshot else newest.position.seq
    reached = cursor.position.xid if newest.snapshot else cursor.position.seq
    return cursor.position >= pruned_up_to(session) and reached <= beyond


def pruned_up_to(session: Session) -> Position:
    """Where the outbox begins."""
    feed = session.execute(select(Feed.pruned_xid, Feed.pruned_seq)).one()
    return Position(feed.pruned_xid, feed.pruned_seq)


_epochs: dict[str, str] = {}


def epoch_of(session: Session) -> str:
    """What tells this database from others, and from itself before it was restored."""
    url = str(db.engine.url)
    if url not in _epochs:
        epoch = session.scalar(select(Feed.epoch)) or ""
        _epochs[url] = epoch + (session.scalar(_POSTGRESQL_EPOCH) if _postgresql(session) else "")
    return _epochs[url]


def _postgresql(session: Session) -> bool:
    return session.connection().dialect.name == "postgresql"
