"""Users and their rights: the row of a subject, its role and whether it is disabled."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError

from service.auth.models import User
from service.auth.tokens import Claims
from service.database import write_transaction
from service.errors import Unauthorized
from service.extensions import db, table

RIGHTS_AGE = 2.0  # seconds until a changed role or a disabled user takes effect
RIGHTS_KEPT = 10_000
REFRESHED_AT_ONCE = 500


@dataclass(frozen=True)
class Caller:
    """Who asks, for the length of one request or turn: `claimed_role` is the token's."""

    subject: str
    claimed_role: str


@dataclass(frozen=True)
class Rights:
    role: str | None
    disabled: bool
    read_at: float


_users = table(User)
FIND_RIGHTS = select(_users.c.role, _users.c.disabled).where(
    _users.c.subject == bindparam("subject")
)


class RightsCache:
    """Each worker's short memory of `users`, so that a permission check costs no query."""

    def __init__(self) -> None:
        self._rights: dict[str, Rights] = {}

    def clear(self) -> None:
        self._rights.clear()

    def of(self, subject: str) -> Rights | None:
        """Needs an app context; None when the subject has no row yet."""
        known = self._rights.get(subject)
        if known and time.monotonic() - known.read_at < RIGHTS_AGE:
            return known
        row = db.session.connection().execute(FIND_RIGHTS, {"subject": subject}).one_or_none()
        db.session.commit()
        if row is None:
            return None
        if len(self._rights) >= RIGHTS_KEPT:
            self.clear()
        rights = Rights(row.role, row.disabled, time.monotonic())
        self._rights[subject] = rights
        return rights

    def known(self, subject: str) -> tuple[str | None, bool] | None:
        """Role and whether disabled, as last read, however long ago."""
        rights = self._rights.get(subject)
        return (rights.role, rights.disabled) if rights else None

    def refresh(self, subjects: Iterable[str]) -> None:
        """Read the rights of many at once, for those who stay connected."""
        listed, moment = list(subjects), time.monotonic()
        for start in range(0, len(listed), REFRESHED_AT_ONCE):
            some = User.subject.in_(listed[start : start + REFRESHED_AT_ONCE])
            rights = select(User.subject, User.role, User.disabled).where(some)
            found = {row.subject: row for row in db.session.execute(rights)}
            for subject in listed[start : start + REFRESHED_AT_ONCE]:
                row = found.get(subject)
                if row is None:
                    self._rights.pop(subject, None)
                else:
                    self._rights[subject] = Rights(row.role, row.disabled, moment)
        db.session.commit()


rights_cache = RightsCache()


def admit(claims: Claims) -> Caller:
    """The caller behind verified claims; its row is made at the first call.

    Raises `Unauthorized` for a disabled user.
    """
    rights = rights_cache.of(claims.subject)
    if rights is None:
        enrol(claims.subject, claims.email, claims.name)
    elif rights.disabled:
        raise Unauthorized("This user is disabled.")
    return Caller(claims.subject, claims.role)


def current_role(caller: Caller) -> str:
    """The role that counts now. Raises `Unauthorized` once the user is disabled."""
    rights = rights_cache.of(caller.subject)
    if rights is None or rights.disabled:
        raise Unauthorized("This user is disabled.")
    return rights.role or caller.claimed_role


def everyone() -> list[User]:
    return list(db.session.scalars(select(User).order_by(User.seq)))


def enrol(subject: str, email: str | None = None, name: str | None = None) -> None:
    """Make the row of a subject, unless it is there."""
    try:
        with write_transaction() as session:
            session.add(User(subject=subject, email=email, name=name))
    except IntegrityError:
        return  # a parallel first call of the same subject made it
