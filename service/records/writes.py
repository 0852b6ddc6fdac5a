"""Update and delete records: permission, validation, then row and change in one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from service.auth.users import Caller, current_role
from service.database.access import write_transaction
from service.database.locks import lock_name
from service.extensions import db
from service.limits.rates import count
from service.records import outbox, permissions, store
from service.records.collection import Action, Collection, Values
from service.records.envelope import Envelope, full_envelope, redact
from service.records.models import Record
from service.records.rows import set_values
from service.records.values import validate
from service.times import later_than, timestamp
from service.web.errors import Conflict


@dataclass(frozen=True)
class Write:
    """A write, with the full envelopes before and after it. None stands for no record."""

    action: outbox.ChangeAction
    collection: Collection
    record_id: str
    owner: str
    before: Envelope | None
    after: Envelope | None


Hook = Callable[[Session, Write], None]  # runs in the transaction of the write


class Stale(Conflict):
    """The record was changed after the caller had read it."""

    message = "This record has been changed since you read it."


def update(
    collection: Collection,
    caller: Caller,
    record_id: str,
    data: Any,
    if_match: str | None = None,
    hook: Hook | None = None,
) -> Envelope:
    """Update the columns in `data`. `if_match` is the `updatedAt` that the caller has read.

    Raises `Forbidden`, `NotFound`, `InvalidRequest`, `Conflict`.
    """
    role = current_role(caller)
    count("records", caller.subject)
    with write_transaction() as session:
        row, role = _lock_row(session, collection, caller, role, "update", record_id, if_match)
        after = change(session, collection, row, validate(collection, role, data, new=False), hook)
        is_owner = getattr(row, collection.owner_attribute) == caller.subject
    return answer(collection, after, role, is_owner)


def answer(collection: Collection, after: Envelope, role: str, is_owner: bool) -> Envelope:
    """Return the record with the columns that the writer may read, which may be none."""
    rule = permissions.rule(collection, role, "read")
    if rule is True or (rule and is_owner):
        return redact(collection, after, role)
    return {**after, "data": {}}


def delete(
    collection: Collection,
    caller: Caller,
    record_id: str,
    if_match: str | None = None,
    hook: Hook | None = None,
) -> None:
    """Delete a record. Raises `Forbidden`, `NotFound`, `Conflict`."""
    role = current_role(caller)
    count("records", caller.subject)
    if collection.before_delete:
        row = store.row_of(db.session(), collection, caller, role, "delete", record_id)
        _check_version(row, if_match)
        db.session.commit()
        collection.before_delete(record_id)
    with write_transaction() as session:
        row, _ = _lock_row(session, collection, caller, role, "delete", record_id, if_match)
        remove(session, collection, row, hook)


def change(
    session: Session, collection: Collection, row: Any, values: Values, hook: Hook | None = None
) -> Envelope:
    """Change the values of a row that the transaction has locked; return its full envelope."""
    before = full_envelope(collection, row)
    if collection.on_update:
        collection.on_update(session, row, values)
    set_values(collection, row, values)
    row.updated_at = later_than(row.updated_at)
    after = flush(session, collection, row)
    add_change(session, collection, getattr(row, collection.owner_attribute), before, after, hook)
    return after


def remove(session: Session, collection: Collection, row: Any, hook: Hook | None = None) -> None:
    """Delete a row that the transaction has locked, after the collection's `on_delete`."""
    before = full_envelope(collection, row)
    owner = getattr(row, collection.owner_attribute)
    if collection.on_delete:
        collection.on_delete(session, row)
    session.delete(row)
    if collection.erases_text:
        outbox.erase_text(session, collection, owner, [before["recordId"]])
    add_change(session, collection, owner, before, None, hook)


def _lock_row(
    session: Session,
    collection: Collection,
    caller: Caller,
    role: str,
    action: Action,
    record_id: str,
    if_match: str | None,
) -> tuple[Any, str]:
    """Lock the row's group and the row. Return the row, and the caller's role at that moment.

    Raises `Stale`.
    """
    row = store.row_of(session, collection, caller, role, action, record_id)
    lock_name(session.connection(), getattr(row, collection.group or collection.record_id))
    row = store.row_of(session, collection, caller, role, action, record_id, lock=True)
    if (role_now := current_role(caller, session.connection())) != role:
        row = store.row_of(session, collection, caller, role_now, action, record_id)
    _check_version(row, if_match)
    return row, role_now


def _check_version(row: Any, if_match: str | None) -> None:
    """Raise `Stale` if the row's version is not the expected one."""
    if if_match is not None and if_match != timestamp(row.updated_at):
        raise Stale()


def flush(session: Session, collection: Collection, row: Any) -> Envelope:
    """Write the row and return its envelope, with the defaults and types of its own table."""
    session.flush()
    if collection.model is not Record:
        session.refresh(row)
    return full_envelope(collection, row)


def add_change(
    session: Session,
    collection: Collection,
    owner: str,
    before: Envelope | None,
    after: Envelope | None,
    hook: Hook | None,
) -> None:
    """Add the change to the outbox and call the hook."""
    row = outbox.change(collection, owner, before, after)
    session.flush()
    outbox.append(session.connection(), [row])
    if hook:
        hook(session, Write(row["action"], collection, row["record_id"], owner, before, after))
