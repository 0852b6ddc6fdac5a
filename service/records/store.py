"""The one room behind every door: permission, then the rows that it lets through.

Reading is here; writing, with the same checks, in `writes.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select
from sqlalchemy.orm import Session

from service.auth.users import Caller, current_role
from service.errors import Forbidden, NotFound
from service.extensions import db
from service.json_values import measured
from service.records import permissions, where
from service.records.collection import Action, Collection
from service.records.envelope import Envelope, envelope
from service.records.query import condition, sorting
from service.records.storage import rows_of

PAGE_BYTES = 8 << 20  # of one page's records
BUFFERED = 50  # rows that the database may send at once
ROWS_AT_ONCE = 3  # that are parsed at a stretch: 8 ms for the 25 000 numbers that one may have
STREAMED_AT_ONCE = 6  # for each time costs PostgreSQL and us 0.2 ms


@dataclass(frozen=True)
class Query:
    """`sort` is a column's name, with `-` in front for descending; None is insertion order.

    A page has at most `limit` records and, but for its first one, `bytes` of JSON.
    """

    where: Mapping[str, Any] = field(default_factory=dict)
    sort: str | None = None
    limit: int = 50
    cursor: str | None = None
    bytes: int = PAGE_BYTES


def find(collection: Collection, caller: Caller, query: Query) -> dict[str, Any]:
    """`{records, nextCursor}`: envelopes in order, and null or where to go on.

    Raises `Forbidden`, `InvalidRequest`.
    """
    role = current_role(caller)
    order = sorting(collection, role, query.sort)
    asked = condition(collection, where.parse(collection, role, query.where))
    statement = visible(collection, caller, role, "read").where(asked)
    statement = order.apply(statement, query.cursor).limit(query.limit + 1)
    page = _Page(collection, role, query)
    more = page.fill(in_pieces(statement, query.limit))
    db.session.commit()
    return {"records": page.records, "nextCursor": order.cursor(page.last) if more else None}


def get(collection: Collection, caller: Caller, record_id: str) -> Envelope:
    """One envelope. Raises `NotFound`, the same for what is absent and what is another's."""
    role = current_role(caller)
    row = row_of(db.session(), collection, caller, role, "read", record_id)
    db.session.commit()
    return envelope(collection, row, role)


def visible(collection: Collection, caller: Caller, role: str, action: Action) -> Select[Any]:
    """The rows with which a caller may do something. Raises `Forbidden` if none ever could be."""
    match permissions.rule(collection, role, action):
        case True:
            return rows_of(collection)
        case "own":
            return rows_of(collection).where(owned_by(collection, caller.subject))
    raise Forbidden()


def row_of(
    session: Session,
    collection: Collection,
    caller: Caller,
    role: str,
    action: Action,
    record_id: str,
    lock: bool = False,
) -> Any:
    """The row as it is in the database now. Raises `Forbidden`, `NotFound`."""
    by_id = getattr(collection.model, collection.record_id) == record_id
    statement = visible(collection, caller, role, action).where(by_id)
    if lock:
        statement = statement.with_for_update()
    row = session.scalars(statement.execution_options(populate_existing=True)).first()
    if row is None:
        raise NotFound()
    return row


def owned_by(collection: Collection, subject: str) -> ColumnElement[bool]:
    return getattr(collection.model, collection.owner_attribute) == subject


def in_pieces(statement: Select[Any], limit: int) -> Iterator[Any]:
    """A page's rows, a few at a time, so that neither are large ones parsed at a stretch nor do
    those of a large page all stand in memory at once."""
    if limit > BUFFERED:
        return iter(db.session.scalars(statement.execution_options(yield_per=STREAMED_AT_ONCE)))
    return iter(db.session.scalars(statement).yield_per(ROWS_AT_ONCE))


class _Page:
    """Records, up to the limits of a query."""

    def __init__(self, collection: Collection, role: str, query: Query) -> None:
        self._collection, self._role, self._query = collection, role, query
        self.records: list[Envelope] = []
        self.last: Any = None
        self._bytes = 0

    def fill(self, rows: Iterable[Any]) -> bool:
        """Whether there is more than fits."""
        for row in rows:
            record = envelope(self._collection, row, self._role)
            self._bytes += measured(record)
            full = len(self.records) == self._query.limit or self._bytes > self._query.bytes
            if self.records and full:
                return True
            self.records.append(record)
            self.last = row
        return False
