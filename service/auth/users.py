"""Users and their rights: a subject's row, its role, and whether its tokens count."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.auth import erasure
from service.auth.models import User
from service.auth.tokens import Claims
from service.database import write_transaction
from service.errors import Unauthorized
from service.extensions import db, table

RIGHTS_AGE = 2.0  # seconds until a changed role, a disabled or an erased user takes effect
RIGHTS_KEPT = 10_000
REFRESHED_AT_ONCE = 500
NOT_ADMITTED = "This user is disabled."


@dataclass(frozen=True)
class Caller:
    """The caller of one request or turn.

    `claimed_role` is the token's. `issued` is when the token was issued, in Unix time, or None.
    """

    subject: str
    claimed_role: str
    issued: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Standing:
    """A user's row and last erasure, noted when something begins that ends in a write.

    `erased_at` is there because SQLite may give a deleted row's number to another row."""

    subject: str
    seq: int
    erased_at: float | None


@dataclass(frozen=True)
class Rights:
    """`erased_at` is Unix time, None for a user never erased; `gone` means that there is no row."""

    role: str | None
    disabled: bool
    erased_at: float | None
    gone: bool = False

    def admit(self, issued: float | None) -> bool:
        """Whether a token that was issued at `issued`, in Unix time, counts."""
        return not (self.gone or self.disabled or erasure.ends(self.erased_at, issued))


_users = table(User)
_erased_at = erasure.ERASED_AT.scalar_subquery().label("erased_at")
_this_user = _users.c.subject == bindparam("subject")
FIND_RIGHTS = select(_users.c.role, _users.c.disabled, _erased_at).where(_this_user)
HOLD = (
    select(_users.c.seq, _users.c.disabled, _erased_at)
    .where(_this_user)
    .with_for_update(read=True, key_share=True, of=_users)
)


class RightsCache:
    """Each worker's short memory of `users`, so that a permission check costs no query."""

    def __init__(self) -> None:
        self._rights: dict[str, tuple[Rights, float]] = {}  # with the time of reading

    def clear(self) -> None:
        self._rights.clear()

    def forget(self, subject: str) -> None:
        self._rights.pop(subject, None)

    def of(self, subject: str) -> Rights | None:
        """Needs an app context; None when the subject has no row yet."""
        rights, read_at = self._rights.get(subject, (None, 0.0))
        if rights and not rights.gone and time.monotonic() - read_at < RIGHTS_AGE:
            return rights
        asked = {"subject": subject, "hash": erasure.hashed(subject)}
        row = db.session.connection().execute(FIND_RIGHTS, asked).one_or_none()
        db.session.commit()
        if row is None:
            return None
        if len(self._rights) >= RIGHTS_KEPT:
            self.clear()
        erased_at = row.erased_at.timestamp() if row.erased_at else None
        rights = Rights(row.role, row.disabled, erased_at)
        self._rights[subject] = rights, time.monotonic()
        return rights

    def known(self, subject: str) -> Rights | None:
        """The rights as they were last read, however long ago."""
        return self._rights.get(subject, (None, 0.0))[0]

    def refresh(self, subjects: Iterable[str]) -> None:
        """Read the rights of many at once, for those who stay connected."""
        listed, moment = list(subjects), time.monotonic()
        for start in range(0, len(listed), REFRESHED_AT_ONCE):
            for subject, rights in _rights_of(listed[start : start + REFRESHED_AT_ONCE]).items():
                self._rights[subject] = rights, moment
        db.session.commit()


def _rights_of(subjects: list[str]) -> dict[str, Rights]:
    erased = erasure.erased_among(db.session(), subjects)
    asked = select(User.subject, User.role, User.disabled).where(User.subject.in_(subjects))
    rows = {row.subject: row for row in db.session.execute(asked)}
    found = {name: Rights(row.role, row.disabled, erased.get(name)) for name, row in rows.items()}
    return {name: Rights(None, False, erased.get(name), gone=True) for name in subjects} | found


rights_cache = RightsCache()


def admit(claims: Claims) -> Caller:
    """The caller behind verified claims; its row is made at the first call.

    Raises `Unauthorized` for a disabled user, and for a token from before its subject was erased.
    """
    rights = rights_cache.of(claims.subject)
    if rights is None:
        enrol(claims.subject, claims.email, claims.name, claims.issued)
    elif not rights.admit(claims.issued):
        raise Unauthorized(NOT_ADMITTED if rights.disabled else None)
    return Caller(claims.subject, claims.role, claims.issued)


def current_role(caller: Caller) -> str:
    """The role that counts now. Raises `Unauthorized` once the user is disabled or erased."""
    rights = rights_cache.of(caller.subject)
    if rights is None or not rights.admit(caller.issued):
        raise Unauthorized(NOT_ADMITTED)
    return rights.role or caller.claimed_role


def hold(session: Session, subject: str) -> Standing:
    """Lock an enabled user's row against an erase until this write transaction ends.

    To be called before the transaction takes any other lock but that of a chat: an erase takes the
    chats, then the user's row, then all else. Raises `Unauthorized` if the user is disabled or has
    no row, perhaps since a moment ago.
    """
    asked = {"subject": subject, "hash": erasure.hashed(subject)}
    row = session.connection().execute(HOLD, asked).one_or_none()
    if row is None or row.disabled:
        rights_cache.forget(subject)  # the cache may still have the user
        raise Unauthorized(NOT_ADMITTED if row else None)
    return Standing(subject, row.seq, row.erased_at.timestamp() if row.erased_at else None)


def hold_row(session: Session, subject: str) -> bool:
    """The same for what is stored of something that has happened already, whoever it is for: also
    of a disabled user. Whether there is a row still; without one, nothing may be stored."""
    mine = select(_users.c.seq).where(_users.c.subject == subject)
    return session.scalar(mine.with_for_update(read=True, key_share=True)) is not None


def hold_still(session: Session, then: Standing) -> None:
    """`hold` for a write that began earlier. Raises `Unauthorized` if erased since `then`,
    also if the subject has a new row."""
    if hold(session, then.subject) != then:
        raise Unauthorized()


def was_erased(then: Standing) -> bool:
    """Whether the user has been erased since `then`. Needs an app context."""
    moment = erasure.erased_at(db.session(), then.subject)
    db.session.commit()
    return moment != then.erased_at


def everyone() -> list[User]:
    return list(db.session.scalars(select(User).order_by(User.seq)))


def enrol(
    subject: str, email: str | None = None, name: str | None = None, issued: float | None = None
) -> None:
    """Make the row of a subject, unless it is there.

    Raises `Unauthorized` if the token, which was `issued` at that time, is older than an erase.
    """
    try:
        with write_transaction() as session:
            session.add(User(subject=subject, email=email, name=name))
            session.flush()  # waits for a running erase, whose row is then seen
            if erasure.ends(erasure.erased_at(session, subject), issued):
                raise Unauthorized()
    except IntegrityError:
        return  # a parallel first call of the same subject made it
