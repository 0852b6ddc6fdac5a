"""Reading the outbox: changes in their order, as far as nothing can come in between any more."""

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, String, cast, func, literal, select, text
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

_outbox = table(Outbox)
_position = row_of(_outbox.c.xid, _outbox.c.seq)
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
    """A row of the outbox; `before` and `after` are full envelopes or None."""

    position: Position
    collection: str
    record_id: str
    owner: str
    action: Action
    before: Envelope | None
    after: Envelope | None
    texts: dict[Any, str] = field(default_factory=dict, compare=False)

    def text(self, collection: Collection, role: str) -> str:
        """The record after the change as JSON, as a role sees it; made once for all who see it."""
        key = role if any(column.roles for column in collection.columns) else None
        if key not in self.texts:
            assert self.after
            self.texts[key] = encode(seen_by(collection, self.after, role))
        return self.texts[key]


@dataclass(frozen=True)
class Scope:
    """Whose changes are wanted: of some collections, and of one owner unless it is None."""

    collections: tuple[str, ...]
    owner: str | None

    def condition(self) -> ColumnElement[bool]:
        named = _outbox.c.collection.in_(self.collections)
        return named if self.owner is None else named & (_outbox.c.owner == self.owner)


def read(session: Session, after: Position, scope: Scope | None = None) -> list[Change]:
    """The next changes, at most `PAGE`."""
    statement = _settled(session, select(_outbox)).where(_position > row_of(*after))
    if scope:
        statement = statement.where(scope.condition())
    rows = session.execute(statement.order_by(_outbox.c.xid, _outbox.c.seq).limit(PAGE))
    return [
        Change(
            Position(row.xid, row.seq),
            row.collection,
            row.record_id,
            row.owner,
            row.action,
            row.before,
            row.after,
        )
        for row in rows
    ]


def unsettled(session: Session) -> bool:
    """Whether there are changes that an older, still open transaction keeps back."""
    if not _postgresql(session):
        return False
    held_back = select(literal(1)).where(_outbox.c.xid >= _horizon)
    return bool(session.scalar(select(held_back.exists())))


def _settled(session: Session, statement: Select[Any]) -> Select[Any]:
    return statement.where(_outbox.c.xid < _horizon) if _postgresql(session) else statement


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
    feed = session.execute(select(Feed.pruned_xid, Feed.pruned_seq)).one()
    newest = here(session)
    beyond = newest.snapshot.end if newest.snapshot else newest.position.seq
    reached = cursor.position.xid if newest.snapshot else cursor.position.seq
    return cursor.position >= Position(feed.pruned_xid, feed.pruned_seq) and reached <= beyond


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
