"""Restore an earlier state of records from their full envelopes.

The caller has checked the permission, and has locked the group of the record. A record gets its old
id, data and `createdAt` again. The outbox gets new changes.
"""

from collections.abc import Container
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from service.extensions import table
from service.records import outbox
from service.records.collection import Collection, Column, Values
from service.records.envelope import Envelope, full_envelope
from service.records.models import Record
from service.records.storage import select_rows
from service.times import later_than, now
from service.web.errors import Conflict

SEARCHED_NUMBERS = 10_000  # sequence numbers that are searched for a free one
MOST_MOVED = 200  # later records of a group: SQLite's index of their texts changes too


class NoPlace(Conflict):
    message = "The place that it had is taken."


def group_key(collection: Collection, envelope: Envelope) -> str:
    """Return the name that `lock_name` locks for the record."""
    for column in collection.columns:
        if collection.group and column.attribute == collection.group:
            return str(envelope["data"][column.name])
    return str(envelope["recordId"])


def owner_of(collection: Collection, envelope: Envelope) -> str:
    if collection.owner == "recordId":
        return str(envelope["recordId"])
    return str(envelope["data"][collection.owner])


def lock_row(session: Session, collection: Collection, record_id: str, owner: str) -> Any | None:
    """Lock and return the current row, or return None if this owner has no such record."""
    by_id = getattr(collection.model, collection.record_id) == record_id
    of_owner = getattr(collection.model, collection.owner_attribute) == owner
    statement = select_rows(collection).where(by_id, of_owner).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).first()


def revert(
    session: Session, collection: Collection, row: Any, before: Envelope, keeps: Container[str]
) -> None:
    """Give a locked row the data that it had, after the collection's `on_update`.

    The columns that `keeps` names keep their value, or get it from `on_update`. Raises the errors
    of `on_update`.
    """
    now_stored = full_envelope(collection, row)
    if collection.on_update:
        collection.on_update(session, row, _differences(collection, now_stored, before))
    _set_data(collection, row, before["data"], keeps)
    row.updated_at = later_than(row.updated_at)
    session.flush()
    _announce(session, collection, now_stored, full_envelope(collection, row))


def restore(session: Session, collection: Collection, before: Envelope) -> None:
    """Store a deleted record again, in its old place among those of its group.

    Restore the oldest of several records first. Raises `NoPlace`.
    """
    moment = datetime.fromisoformat(before["createdAt"])
    shared = {"collection": collection.name, "data": {}} if collection.model is Record else {}
    row = collection.model(**{collection.record_id: before["recordId"]}, **shared)
    row.created_at, row.updated_at = moment, now()
    _set_data(collection, row, before["data"])
    if collection.group:
        row.seq = _place(session, collection, row)
    session.add(row)
    session.flush()
    _announce(session, collection, None, full_envelope(collection, row))


def _differences(collection: Collection, current: Envelope, before: Envelope) -> Values:
    names = (column.name for column in collection.columns)
    values = {name: before["data"].get(name) for name in names}
    return {name: v for name, v in values.items() if v != current["data"].get(name)}


def _set_data(collection: Collection, row: Any, data: Values, keeps: Container[str] = ()) -> None:
    """Set every column to its value in `data` or to none, except those that `keeps` names."""
    for column in collection.columns:
        if column.name in keeps:
            continue
        attribute = collection.attribute_of(column)
        if attribute:
            setattr(row, attribute, _stored_value(column, data.get(column.name)))
        elif column.name in data:
            row.data[column.name] = data[column.name]
        else:
            row.data.pop(column.name, None)
    if collection.model is Record:
        flag_modified(row, "data")


def _stored_value(column: Column, value: Any) -> Any:
    is_time = column.type == "datetime" and isinstance(value, str)
    return datetime.fromisoformat(value) if is_time else value


def _place(session: Session, collection: Collection, row: Any) -> int | None:
    """Return a free sequence number between those of the record's neighbours, None for the last.

    The neighbours are those in its group by `createdAt`. Without a free number, the later records
    of the group are moved. Raises `NoPlace`.
    """
    assert collection.group
    seq, created = collection.model.seq, collection.model.created_at
    same = getattr(collection.model, collection.group) == getattr(row, collection.group)
    before = session.scalar(select(func.max(seq)).where(same, created < row.created_at))
    after = session.scalar(select(func.min(seq)).where(same, created > row.created_at))
    if after is None:
        return None
    low = max(0, after - SEARCHED_NUMBERS) if before is None else before
    high = min(after, low + SEARCHED_NUMBERS)
    taken = set(session.scalars(select(seq).where(seq > low, seq < high)))
    free = next((number for number in range(low + 1, high) if number not in taken), None)
    if free is None:
        _move_to_the_end(session, collection, same & (seq >= after))
        return int(after)
    return free


def _move_to_the_end(session: Session, collection: Collection, later: ColumnElement[bool]) -> None:
    """Give the later records of a group new sequence numbers, the highest ones, in their order.

    SQLite gives the number of a deleted newest record to the next one. Raises `NoPlace` if too many
    records would be moved.
    """
    seq = collection.model.seq
    numbers = session.scalars(select(seq).where(later).order_by(seq).limit(MOST_MOVED + 1)).all()
    if len(numbers) > MOST_MOVED:
        raise NoPlace()
    rows, connection = table(collection.model), session.connection()
    highest = func.max(rows.c.seq) + 1
    if connection.dialect.name == "postgresql":  # it counts its numbers apart from the rows
        highest = func.nextval(func.pg_get_serial_sequence(rows.name, "seq"))
    move = update(rows).where(rows.c.seq == bindparam("old")).values(seq=bindparam("new"))
    for old in numbers:
        connection.execute(move, {"old": old, "new": connection.scalar(select(highest))})


def _announce(
    session: Session, collection: Collection, before: Envelope | None, after: Envelope
) -> None:
    owner = owner_of(collection, after)
    outbox.append(session.connection(), [outbox.change(collection, owner, before, after)])
