"""Create records: permission, validation, then the row and its change in one transaction."""

from collections.abc import Callable
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from service.auth.user_locks import lock
from service.auth.users import Caller, current_role
from service.database.access import write_transaction
from service.extensions import db
from service.limits.rates import count
from service.records import permissions, writes
from service.records.collection import Collection
from service.records.envelope import Envelope, full_envelope, redact
from service.records.idempotency import IdempotentCreate
from service.records.rows import new_row
from service.records.storage import select_rows
from service.records.values import validate
from service.web.errors import NotFound


def create(
    collection: Collection,
    caller: Caller,
    data: Any,
    hook: writes.Hook | None = None,
    key: str | None = None,
) -> Envelope:
    """Create a record that the caller owns, or return the one created with the same `key`.

    Raises `Forbidden`, `InvalidRequest`; with a key also `Conflict` for other data, and `NotFound`
    for a deleted record.
    """
    role = current_role(caller)
    permissions.check_create(collection, role)
    count("records", caller.subject)
    values = validate(collection, role, data, new=True)
    row = new_row(collection, caller.subject, values)
    repeatable = IdempotentCreate(caller.subject, collection.name, key, data) if key else None

    def check(session: Session) -> None:
        nonlocal role
        role, former = current_role(caller, session.connection()), role
        if role != former:
            permissions.check_create(collection, role)
            validate(collection, role, data, new=True)

    after = create_row(collection, row, repeatable, hook, check)
    if after["recordId"] == getattr(row, collection.record_id):
        return redact(collection, after, role)  # even without the right to read its own write
    return writes.answer(collection, after, role, is_owner=True)


def create_row(
    collection: Collection,
    row: Any,
    repeatable: IdempotentCreate | None,
    hook: writes.Hook | None = None,
    check: Callable[[Session], None] | None = None,
) -> Envelope:
    """Insert the row of a record, or return the one that an earlier request with its key created.

    Returns the full envelope. `check` is called when the owner is locked, and may raise. Raises
    `Unauthorized` for a disabled owner, and `Conflict` and `NotFound` as `create` does.
    """
    record_id, owner = getattr(row, collection.record_id), getattr(row, collection.owner_attribute)
    try:
        with write_transaction() as session:
            lock(session, owner)
            if check:
                check(session)
            return _insert(session, collection, row, hook, repeatable)
    except DBAPIError as error:
        return _find_committed(collection, record_id, error)


def _insert(
    session: Session,
    collection: Collection,
    row: Any,
    hook: writes.Hook | None,
    repeatable: IdempotentCreate | None,
) -> Envelope:
    if repeatable and (earlier := repeatable.earlier_record(session)):
        return _find(session, collection, earlier)
    owner = getattr(row, collection.owner_attribute)
    session.add(row)
    after = writes.flush(session, collection, row)
    writes.add_change(session, collection, owner, None, after, hook)
    if repeatable:
        repeatable.store(session, after["recordId"])
    return after


def _find(session: Session, collection: Collection, record_id: str) -> Envelope:
    """Return a record by its id, without a permission check. Raises `NotFound`."""
    by_id = getattr(collection.model, collection.record_id) == record_id
    row = session.scalar(select_rows(collection).where(by_id))
    if row is None:
        raise NotFound()
    return full_envelope(collection, row)


def _find_committed(collection: Collection, record_id: str, error: DBAPIError) -> Envelope:
    """Return the record if its COMMIT succeeded and only the answer was lost, or raise `error`."""
    if not error.connection_invalidated:
        raise error
    session = db.session()
    session.rollback()
    try:
        return _find(session, collection, record_id)
    except NotFound:
        raise error from None
    finally:
        session.rollback()  # it has only read; a commit would fail on a lost connection
