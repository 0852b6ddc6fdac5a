"""The one room behind every door: permission, then the rows that it lets through."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, or_, select

from service.auth.users import Caller, current_role
from service.errors import Forbidden, NotFound
from service.extensions import db, timestamp
from service.records import permissions
from service.records.collection import Collection, Column
from service.records.envelope import envelope
from service.records.query import condition, invalid, known_column, open_cursor, seal_cursor, typed

SEQ = Column("cursor", "seq", "integer")


@dataclass(frozen=True)
class Query:
    """`sort` is a column's name, with `-` in front for descending; None is insertion order."""

    where: Mapping[str, Any] = field(default_factory=dict)
    sort: str | None = None
    limit: int = 50
    cursor: str | None = None


def find(collection: Collection, caller: Caller, query: Query) -> dict[str, Any]:
    """`{records, nextCursor}`: envelopes in order, and null or where to go on.

    Raises `Forbidden`, `InvalidRequest`.
    """
    statement = _readable(collection, caller).where(condition(collection, query.where))
    column, descending = _sorting(collection, query.sort)
    statement = _ordered(collection, statement, column, descending)
    if query.cursor:
        statement = statement.where(_after(collection, query, column, descending))
    rows = list(db.session.scalars(statement.limit(query.limit + 1)))
    db.session.commit()
    page = rows[: query.limit]
    more = len(rows) > query.limit
    return {
        "records": [envelope(collection, row) for row in page],
        "nextCursor": _cursor(query, column, page[-1]) if more else None,
    }


def get(collection: Collection, caller: Caller, record_id: str) -> dict[str, Any]:
    """One envelope. Raises `NotFound`, the same for what is absent and what is another's."""
    by_id = getattr(collection.model, collection.record_id) == record_id
    row = db.session.scalars(_readable(collection, caller).where(by_id)).first()
    db.session.commit()
    if row is None:
        raise NotFound()
    return envelope(collection, row)


def _readable(collection: Collection, caller: Caller) -> Select[Any]:
    match permissions.rule(collection, current_role(caller), "read"):
        case True:
            return select(collection.model)
        case "own":
            owner = getattr(collection.model, collection.owner)
            return select(collection.model).where(owner == caller.subject)
    raise Forbidden()


def _sorting(collection: Collection, sort: str | None) -> tuple[Column | None, bool]:
    if sort is None:
        return None, False
    return known_column(collection, sort.removeprefix("-")), sort.startswith("-")


def _ordered(
    collection: Collection, statement: Select[Any], column: Column | None, descending: bool
) -> Select[Any]:
    """By the column, then by insertion, so that every order is total."""
    keys = [collection.model.seq]
    if column:
        keys.insert(0, getattr(collection.model, column.attribute))
    return statement.order_by(*(key.desc() if descending else key.asc() for key in keys))


def _after(
    collection: Collection, query: Query, column: Column | None, descending: bool
) -> ColumnElement[bool]:
    sort, value, seq = open_cursor(query.cursor or "", 3)
    if sort != query.sort:
        raise invalid("cursor", "Not a cursor of ours, or one of another query.")
    beyond = _beyond(collection.model.seq, typed(SEQ, seq), descending)
    if column is None:
        return beyond
    key, value = getattr(collection.model, column.attribute), typed(column, value)
    return or_(_beyond(key, value, descending), and_(key == value, beyond))


def _beyond(key: Any, value: Any, descending: bool) -> ColumnElement[bool]:
    return key < value if descending else key > value


def _cursor(query: Query, column: Column | None, row: Any) -> str:
    value = getattr(row, column.attribute) if column else None
    return seal_cursor(
        [query.sort, timestamp(value) if isinstance(value, datetime) else value, row.seq]
    )
