"""Changing records: permission, validation, and then the row and its change in one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from service.auth.users import Caller, current_role, hold
from service.database import write_transaction
from service.errors import Conflict, Forbidden, NotFound
from service.extensions import db, now, timestamp
from service.ids import new_id
from service.records import outbox, permissions, store
from service.records.collection import Action, Collection, Values
from service.records.envelope import Envelope, full_envelope, seen_by
from service.records.models import Record
from service.records.once import Once
from service.records.storage import rows_of
from service.records.values import accepted

TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class Written:
    """What a write did: full envelopes, None where there was or is no record."""

    action: outbox.Change
    collection: Collection
    record_id: str
    owner: str
    before: Envelope | None
    after: Envelope | None


Note = Callable[[Session, Written], None]  # runs inside the write's own transaction


class Stale(Conflict):
    message = "This record has been changed since you read it."


def create(
    collection: Collection,
    caller: Caller,
    data: Any,
    note: Note | None = None,
    key: str | None = None,
) -> Envelope:
    """Create a record of the caller's own. If `key` has made one before, return that one as it is.

    Raises `Forbidden`, `InvalidRequest`; with a key `Conflict` for other data, and `NotFound` when
    its record has been deleted.
    """
    role = current_role(caller)
    if not permissions.rule(collection, role, "create"):
        raise Forbidden()
    values = accepted(collection, role, data, new=True)
    once = Once(caller.subject, collection.name, key, data) if key else None
    row = _new(collection, caller.subject, values)
    record_id = getattr(row, collection.record_id)
    try:
        with write_transaction() as session:
            hold(session, caller.subject)
            earlier = once.earlier(session) if once else None
            after = _known(session, collection, earlier) if earlier else None
            if after is None:
                after = _created(session, collection, row, note)
                if once:
                    once.keep(session, record_id)
    except DBAPIError as error:
        after = _committed(collection, record_id) if error.connection_invalidated else None
        if after is None:
            raise
    if after["recordId"] == record_id:
        return seen_by(collection, after, role)  # what the caller has just written
    return _answer(collection, after, role, owned=True)


def _created(session: Session, collection: Collection, row: Any, note: Note | None) -> Envelope:
    session.add(row)
    after = _stored(session, collection, row)
    _note(session, collection, getattr(row, collection.owner_attribute), None, after, note)
    return after


def _known(session: Session, collection: Collection, record_id: str) -> Envelope:
    """A record by its id alone. Raises `NotFound`."""
    by_id = getattr(collection.model, collection.record_id) == record_id
    row = session.scalar(rows_of(collection).where(by_id))
    if row is None:
        raise NotFound()
    return full_envelope(collection, row)


def _committed(collection: Collection, record_id: str) -> Envelope | None:
    """The record, if its COMMIT was carried out and only the answer was lost; else None."""
    session = db.session()
    session.rollback()
    try:
        found = _known(session, collection, record_id)
    except NotFound:
        return None
    finally:
        session.commit()
    return found


def update(
    collection: Collection,
    caller: Caller,
    record_id: str,
    data: Any,
    if_match: str | None = None,
    note: Note | None = None,
) -> Envelope:
    """Lay `data` over a record. `if_match` is the `updatedAt` that the caller has seen.

    Raises `Forbidden`, `NotFound`, `InvalidRequest`, `Conflict`.
    """
    role = current_role(caller)
    with write_transaction() as session:
        row = _taken(session, collection, caller, role, "update", record_id, if_match)
        after = change(session, collection, row, accepted(collection, role, data, new=False), note)
        owned = getattr(row, collection.owner_attribute) == caller.subject
    return _answer(collection, after, role, owned)


def _answer(collection: Collection, after: Envelope, role: str, owned: bool) -> Envelope:
    """The record as the writer may read it; without any data where it may not."""
    rule = permissions.rule(collection, role, "read")
    if rule is True or (rule and owned):
        return seen_by(collection, after, role)
    return {**after, "data": {}}


def delete(
    collection: Collection,
    caller: Caller,
    record_id: str,
    if_match: str | None = None,
    note: Note | None = None,
) -> None:
    """Raises `Forbidden`, `NotFound`, `Conflict`."""
    role = current_role(caller)
    with write_transaction() as session:
        row = _taken(session, collection, caller, role, "delete", record_id, if_match)
        remove(session, collection, row, note)


def change(
    session: Session, collection: Collection, row: Any, values: Values, note: Note | None = None
) -> Envelope:
    """Give a row that the transaction has taken other values; its full envelope then."""
    before = full_envelope(collection, row)
    if collection.updating:
        collection.updating(session, row, values)
    _set(collection, row, values)
    row.updated_at = max(now(), row.updated_at + TICK)
    after = _stored(session, collection, row)
    _note(session, collection, getattr(row, collection.owner_attribute), before, after, note)
    return after


def remove(session: Session, collection: Collection, row: Any, note: Note | None = None) -> None:
    """Delete a row that the transaction has taken, and what the collection deletes with it."""
    before = full_envelope(collection, row)
    owner = getattr(row, collection.owner_attribute)
    if collection.deleting:
        collection.deleting(session, row)
    session.delete(row)
    if collection.forgets:
        outbox.forget(session, collection, owner, [before["recordId"]])
    _note(session, collection, owner, before, None, note)


def _taken(
    session: Session,
    collection: Collection,
    caller: Caller,
    role: str,
    action: Action,
    record_id: str,
    if_match: str | None,
) -> Any:
    """The row, once it is this transaction's turn to change it."""
    found = store.row_of(session, collection, caller, role, action, record_id)
    outbox.take_turn(session.connection(), getattr(found, collection.group or collection.record_id))
    row = store.row_of(session, collection, caller, role, action, record_id, lock=True)
    if if_match is not None and if_match != timestamp(row.updated_at):
        raise Stale()
    return row


def _new(collection: Collection, owner: str, values: Values) -> Any:
    moment = now()
    times = {"created_at": moment, "updated_at": moment}
    shared = {"collection": collection.name, "data": {}} if collection.model is Record else {}
    row = collection.model(**{collection.record_id: new_id("rec")}, **shared, **times)
    setattr(row, collection.owner_attribute, owner)
    _set(collection, row, values)
    return row


def _set(collection: Collection, row: Any, values: Values) -> None:
    for name, value in values.items():
        column = collection.column(name)
        assert column
        if column.attribute:
            setattr(row, column.attribute, value)
        elif value is None:
            row.data.pop(name, None)
        else:
            row.data[name] = timestamp(value) if isinstance(value, datetime) else value
    if collection.model is Record:
        flag_modified(row, "data")


def _stored(session: Session, collection: Collection, row: Any) -> Envelope:
    """The row as it will be read: a table of its own has defaults and types of its own."""
    session.flush()
    if collection.model is not Record:
        session.refresh(row)
    return full_envelope(collection, row)


def _note(
    session: Session,
    collection: Collection,
    owner: str,
    before: Envelope | None,
    after: Envelope | None,
    note: Note | None,
) -> None:
    row = outbox.change(collection, owner, before, after)
    session.flush()
    outbox.append(session.connection(), [row])
    if note:
        either = after or before or {}
        id = either["recordId"]
        note(session, Written(row["action"], collection, id, owner, before, after))
