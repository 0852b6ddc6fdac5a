"""Locks on users' rows, so that an erasure and other writes exclude each other."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from service.auth import erasure
from service.auth.models import User
from service.auth.users import NOT_ADMITTED, rights_cache
from service.database.in_lists import prepare_in_list
from service.database.prepared import Prepared, StatementReply
from service.database.statements import Statements
from service.extensions import db, table
from service.web.errors import Unauthorized

_users = table(User)
_erased_at = erasure.ERASED_AT.scalar_subquery().label("erased_at")
_this_user = _users.c.subject == bindparam("subject")
LOCK = Prepared(
    select(_users.c.seq, _users.c.disabled, _erased_at)
    .where(_this_user)
    .with_for_update(read=True, key_share=True, of=_users)
)

_row = select(_users.c.seq).where(_this_user)
_rows = select(_users.c.subject).order_by(_users.c.subject)
_locked_rows = _rows.with_for_update(read=True, key_share=True)
LOCK_ROWS = prepare_in_list(_locked_rows)
LOCK_ROW = _row.with_for_update(read=True, key_share=True)
LOCK_ROW_ALONE = _row.with_for_update(key_share=True)


@dataclass(frozen=True)
class Standing:
    """A user's row and last erasure when an operation begins that ends in a write.

    Comparing `seq` is not enough: SQLite may reuse the number of a deleted row.
    """

    subject: str
    seq: int
    erased_at: float | None


def lock(session: Statements, subject: str) -> Standing:
    """Lock the row of an enabled user against an erasure until this write transaction ends.

    Call it before the transaction takes any lock except a chat's: an erasure locks the chats, then
    the user's row, then the rest. Raises `Unauthorized` if the user is disabled or has no row.
    """
    return standing(subject, send_lock(session, subject))


def send_lock(session: Statements, subject: str) -> StatementReply:
    keys = {"subject": subject, "hash": erasure.hash_of(subject)}
    return LOCK.send(session.connection(), keys)


def standing(subject: str, locked: StatementReply) -> Standing:
    """Return a user's standing from the reply to `send_lock`. Raises as `lock` does."""
    row = locked.row
    if row is None or row.disabled:
        rights_cache.forget(subject)  # the cache may still have the user
        raise Unauthorized(NOT_ADMITTED if row else None)
    return Standing(subject, row.seq, row.erased_at.timestamp() if row.erased_at else None)


def lock_row(session: Session, subject: str) -> bool:
    """Lock a user's row, to store the result of an operation that has already happened.

    The user may be disabled. Returns False if there is no row; then nothing may be stored.
    """
    return session.connection().scalar(LOCK_ROW, {"subject": subject}) is not None


def lock_row_alone(session: Session, subject: str) -> bool:
    """Lock a user's row as `lock_row` does, but exclude other such locks meanwhile."""
    return session.connection().scalar(LOCK_ROW_ALONE, {"subject": subject}) is not None


def lock_rows(session: Statements, subjects: Iterable[str]) -> set[str]:
    """Lock the rows of many users as `lock_row` does. Returns the subjects that have a row."""
    if not (names := list(subjects)):
        return set()
    return {row.subject for row in LOCK_ROWS.rows(session.connection(), {"values": names})}


def lock_unchanged(session: Session, then: Standing) -> None:
    """Lock the row of a user for a write that began at `then`.

    Raises `Unauthorized` if the user has been erased since, even if the subject has a new row.
    """
    if lock(session, then.subject) != then:
        raise Unauthorized()


def was_erased(then: Standing) -> bool:
    """Return whether the user has been erased since `then`. Needs an app context."""
    moment = erasure.erased_at(db.session(), then.subject)
    db.session.commit()
    return moment != then.erased_at
