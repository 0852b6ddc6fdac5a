"""The statements that read a page of changes from the outbox, in the order of the feed."""

from collections.abc import Generator
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    CursorResult,
    Select,
    String,
    Text,
    bindparam,
    cast,
    func,
    literal,
    literal_column,
    select,
)
from sqlalchemy import tuple_ as row_of

from service.database.prepared import Prepared
from service.extensions import table
from service.records.models import Outbox

PAGE = 50
PAGE_BYTES = 1 << 20  # a page that reaches this size takes no further change

_outbox = table(Outbox)
_horizon = cast(cast(func.pg_snapshot_xmin(func.pg_current_snapshot()), String), BigInteger).label(
    "horizon"
)


def rows_after(
    connection: Connection, params: dict[str, Any]
) -> CursorResult[Any] | Generator[Any]:
    """Return at most `PAGE` rows after a position. The caller closes the result.

    `params` are the position (`seq`, on PostgreSQL also `xid`), and for a filter `collections` and
    `owner`. A row has `unsettled`, then the values of a `Change`, of which `xid` and `seq` are the
    position.
    """
    if "collections" in params:
        return connection.execute(_page(*params), params)
    return NEXT.each(connection, params)


@cache
def _page(*params: str) -> Select[Any]:
    """Return the statement for these parameters, built once because it runs at every change."""
    return _sqlite_page(params) if "xid" not in params else _postgresql_page(params)


# The statement without a filter, which each feed runs at every change.
NEXT = Prepared(lambda dialect: _page("seq") if dialect == "sqlite" else _page("seq", "xid"))


def _sqlite_page(params: tuple[str, ...]) -> Select[Any]:
    c = _outbox.c
    later = (
        select(literal(0).label("unsettled"), *_columns(c))
        .where(c.seq > bindparam("seq"))
        .order_by(c.seq)
    )
    # An expression instead of the column: the index on owner is not in the order of the changes.
    return _filter(later, params, c.collection, c.owner + "").limit(PAGE)


def _postgresql_page(params: tuple[str, ...]) -> Select[Any]:
    """Build the statement for PostgreSQL.

    OFFSET makes PostgreSQL read the changes in their order and stop at the end of the page;
    without it, all later changes would be sorted for every page. The sizes are summed in SQL,
    because the driver fetches all rows at once and a page of the largest records would take
    hundreds of megabytes. The first column says whether there are changes that can't be read until
    an older transaction ends. It is part of the same statement, because a change might settle
    between two statements and then be late. Without changes the statement returns one row of nulls.
    """
    c = _outbox.c
    place = row_of(bindparam("xid", type_=BigInteger), bindparam("seq", type_=BigInteger))
    settled = select(*c).where(row_of(c.xid, c.seq) > place, c.xid < _horizon)
    later = settled.order_by(c.xid, c.seq).offset(literal_column("0")).subquery()
    filtered = _filter(select(*_columns(later.c)), params, later.c.collection, later.c.owner)
    page = filtered.limit(PAGE).subquery()
    sizes = func.sum(page.c.size).over(order_by=(page.c.xid, page.c.seq), rows=(None, -1))
    summed = select(page, func.coalesce(sizes, 0).label("ahead")).subquery()
    unsettled = select(literal(1)).where(c.xid >= _horizon).exists()
    state = select(unsettled.label("unsettled")).subquery()
    columns = select(state.c.unsettled, *(summed.c[column.name] for column in page.c))
    joined = columns.select_from(state.outerjoin(summed, summed.c.ahead < PAGE_BYTES))
    return joined.order_by(summed.c.xid, summed.c.seq)


def _columns(c: Any) -> list[ColumnElement[Any]]:
    """Return the columns of a `Change`. Its size is the length of its JSON, which is ASCII."""
    before, after = (func.coalesce(func.length(cast(e, Text)), 0) for e in (c.before, c.after))
    stored = [c.xid, c.seq, c.collection, c.record_id, c.owner, c.action, c.before, c.after]
    return [*stored, (before + after).label("size"), c.created_at]


def _filter(
    statement: Select[Any],
    params: tuple[str, ...],
    collection: ColumnElement[str],
    owner: ColumnElement[str],
) -> Select[Any]:
    if "collections" in params:
        statement = statement.where(collection.in_(bindparam("collections", expanding=True)))
    return statement.where(owner == bindparam("owner")) if "owner" in params else statement
