"""Read records: check the permission, then select the rows that it allows.

HTTP, tools and sockets all read here. They write in `writes.py`, with the same checks.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.auth.users import Caller, current_role
from service.extensions import db
from service.limits.page_turns import page_turn
from service.records import permissions, where
from service.records.collection import Action, Collection
from service.records.envelope import Envelope, envelope
from service.records.query import condition, sorting
from service.records.storage import select_rows
from service.web.errors import Forbidden, NotFound
from service.web.fields import PAGE_ITEMS
from service.web.json_values import json_size

PAGE_BYTES = 8 << 20  # JSON of one page
BUFFER_ROWS = 50  # which the database may send at once
PARSE_ROWS = 3  # parsed at a time: 8 ms for three rows with the maximum of 25 000 numbers
FETCH_ROWS = 6  # fetched at a time, because each fetch takes 0.2 ms


@dataclass(frozen=True)
class Query:
    """A query for a page of records.

    `sort` is a column's name, with the prefix `-` for descending order; None is the order of
    insertion. A page has at most `limit` records and `bytes` of JSON, but at least one record.
    """

    where: Mapping[str, Any] = field(default_factory=dict)
    sort: str | None = None
    limit: int = PAGE_ITEMS
    cursor: str | None = None
    bytes: int = PAGE_BYTES


def find(collection: Collection, caller: Caller, query: Query) -> dict[str, Any]:
    """Return `{records, nextCursor}`: a page of envelopes, and the cursor of the next page or None.

    Waits while the user has other pages read. Raises `Forbidden`, `InvalidRequest`, `Unavailable`.
    """
    with page_turn(caller.subject):
        return _find(collection, caller, query)


def _find(collection: Collection, caller: Caller, query: Query) -> dict[str, Any]:
    role = current_role(caller)
    order = sorting(collection, role, query.sort)
    matching = condition(collection, where.parse(collection, role, query.where))
    statement = select_visible(collection, caller, role, "read").where(matching)
    statement = order.apply(statement, query.cursor).limit(query.limit + 1)
    page = _Page(collection, role, query)
    more = page.fill(in_pieces(statement, query.limit))
    db.session.commit()
    return {"records": page.records, "nextCursor": order.cursor(page.last) if more else None}


def get(collection: Collection, caller: Caller, record_id: str) -> Envelope:
    """Return one envelope. Raises `NotFound` if it does not exist or the caller may not read it."""
    role = current_role(caller)
    row = row_of(db.session(), collection, caller, role, "read", record_id)
    db.session.commit()
    return envelope(collection, row, role)


def select_visible(
    collection: Collection, caller: Caller, role: str, action: Action
) -> Select[Any]:
    """Return a statement for the rows on which a caller may perform the action.

    Raises `Forbidden` if the role may not perform it on any record.
    """
    match permissions.rule(collection, role, action):
        case True:
            return select_rows(collection)
        case "own":
            return select_rows(collection).where(owned_by(collection, caller.subject))
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
    """Return the current row in the database. Raises `Forbidden`, `NotFound`."""
    by_id = getattr(collection.model, collection.record_id) == record_id
    statement = select_visible(collection, caller, role, action).where(by_id)
    if lock:
        statement = statement.with_for_update()
    row = session.scalars(statement.execution_options(populate_existing=True)).first()
    if row is None:
        raise NotFound()
    return row


def owned_by(collection: Collection, subject: str) -> ColumnElement[bool]:
    """Return the SQL condition that a record belongs to the subject."""
    owner: InstrumentedAttribute[str] = getattr(collection.model, collection.owner_attribute)
    return owner == subject


def in_pieces(statement: Select[Any], limit: int) -> Iterator[Any]:
    """Yield the rows of a page, parsed a few at a time.

    Parsing many large rows at once would block other greenlets. The rows of a large page are also
    fetched a few at a time, so that they are not in memory at the same time.
    """
    if limit > BUFFER_ROWS:
        return iter(db.session.scalars(statement.execution_options(yield_per=FETCH_ROWS)))
    return iter(db.session.scalars(statement).yield_per(PARSE_ROWS))


class _Page:
    """The records of a page, up to the limits of the query."""

    def __init__(self, collection: Collection, role: str, query: Query) -> None:
        self._collection, self._role, self._query = collection, role, query
        self.records: list[Envelope] = []
        self.last: Any = None
        self._bytes = 0

    def fill(self, rows: Iterable[Any]) -> bool:
        """Add rows up to the limits. Return whether there are more."""
        for row in rows:
            record = envelope(self._collection, row, self._role)
            self._bytes += json_size(record)
            full = len(self.records) == self._query.limit or self._bytes > self._query.bytes
            if self.records and full:
                return True
            self.records.append(record)
            self.last = row
        return False
