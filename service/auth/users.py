"""Users and their rights: the row of a subject, its role, and whether its tokens are valid."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from flask import current_app
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.app_keys import AppKey
from service.auth import erasure
from service.auth.models import User
from service.auth.permits import Permit
from service.auth.tokens import Claims
from service.database.access import write_transaction
from service.database.in_lists import prepare_in_list
from service.database.prepared import Prepared, read_row
from service.extensions import db, table
from service.times import now
from service.web.errors import Unauthorized

RIGHTS_AGE = 2.0  # seconds until a changed role, a disabling or an erasure takes effect
CACHE_SIZE = 10_000
REFRESH_BATCH = 500
NOT_ADMITTED = "This user is disabled."
ERASED = "The bearer token was issued before its user was erased: a newer one is needed."
OWNER = AppKey["Caller"]("owner")  # pays when no token is forwarded
FOLLOW_PROFILE = AppKey[Callable[[Claims], None]]("follow_profile")


@dataclass(frozen=True)
class Caller:
    """The caller of one request or turn.

    `claimed_role` is the role in the token. `issued` is when the token was issued, in Unix time, or
    None. `permit` is the permit of a limited token; None for any other token.
    """

    subject: str
    claimed_role: str
    issued: float | None = field(default=None, compare=False)
    permit: Permit | None = None


@dataclass(frozen=True)
class Rights:
    """The rights of a user, with the profile.

    `erased_at` is the Unix time of the last erasure, or None. `changed_at` is the Unix time of the
    row's last change. `is_missing` is true if there is no row.
    """

    role: str | None
    disabled: bool
    erased_at: float | None
    is_missing: bool = False
    email: str | None = None
    name: str | None = None
    changed_at: float = 0.0

    def admit(self, issued: float | None) -> bool:
        """Return whether a token that was issued at `issued`, in Unix time, is valid."""
        return not (self.is_missing or self.disabled or erasure.revokes(self.erased_at, issued))

    def are_outdated_by(self, claims: Claims) -> bool:
        """Return whether a token has another name or address, and is newer than the row.

        An older token may have a former name. Without this rule, two tokens in use at the same time
        would replace each other's names forever.
        """
        profile = (claims.email or self.email, claims.name or self.name)
        return profile != (self.email, self.name) and (claims.issued or 0.0) > self.changed_at


_users = table(User)
_erased_at = erasure.ERASED_AT.scalar_subquery().label("erased_at")
_this_user = _users.c.subject == bindparam("subject")
_facts = (_users.c.role, _users.c.disabled, _users.c.email, _users.c.name, _users.c.updated_at)
FIND_RIGHTS = Prepared(select(*_facts, _erased_at).where(_this_user))
FIND_MANY = prepare_in_list(select(_users.c.subject, *_facts))


class RightsCache:
    """A worker's cache of `users`, so that most permission checks need no query."""

    def __init__(self) -> None:
        self._rights: dict[str, tuple[Rights, float]] = {}  # with the times of the queries
        self.version = 0  # increases when `peek` may return something else for a known subject

    def clear(self) -> None:
        self._rights.clear()
        self.version += 1

    def forget(self, subject: str) -> None:
        self._rights.pop(subject, None)
        self.version += 1

    def get(self, subject: str, within: Connection | None = None) -> Rights | None:
        """Return the rights of a subject, at most `RIGHTS_AGE` old, or None if it has no row.

        Needs an app context. Reads on the connection `within`, if it is given.
        """
        rights, read_at = self._rights.get(subject, (None, 0.0))
        if rights and not rights.is_missing and time.monotonic() - read_at < RIGHTS_AGE:
            return rights
        moment = time.monotonic()  # the answer may be as old as the start of the query
        keys = {"subject": subject, "hash": erasure.hash_of(subject)}
        row = FIND_RIGHTS.row(within, keys) if within else read_row(FIND_RIGHTS, keys)
        if row is None:
            return None
        if len(self._rights) >= CACHE_SIZE:
            self.clear()
        erased_at = row.erased_at.timestamp() if row.erased_at else None
        return self._keep(subject, _rights_of(row, erased_at), moment)

    def peek(self, subject: str) -> Rights | None:
        """Return the rights as last read, of any age, without a query."""
        return self._rights.get(subject, (None, 0.0))[0]

    def refresh(self, subjects: Iterable[str]) -> None:
        """Read the rights of many subjects in batches, for sockets that stay connected."""
        names, moment = list(subjects), time.monotonic()
        with db.engine.begin() as connection:
            for start in range(0, len(names), REFRESH_BATCH):
                batch = names[start : start + REFRESH_BATCH]
                for subject, rights in _read_rights(connection, batch).items():
                    self._keep(subject, rights, moment)

    def _keep(self, subject: str, rights: Rights, moment: float) -> Rights:
        """Store rights that were read at `moment`, as the same object if they are equal."""
        before = self.peek(subject)
        if before == rights:
            rights = before
        elif before:
            self.version += 1
        self._rights[subject] = rights, moment
        return rights


def _read_rights(connection: Connection, subjects: list[str]) -> dict[str, Rights]:
    erased = erasure.erasure_times(connection, subjects)
    rights = {name: Rights(None, False, erased.get(name), is_missing=True) for name in subjects}
    for row in FIND_MANY.rows(connection, {"values": subjects}):
        rights[row.subject] = _rights_of(row, erased.get(row.subject))
    return rights


def _rights_of(row: Any, erased_at: float | None) -> Rights:
    return Rights(
        row.role,
        row.disabled,
        erased_at,
        email=row.email,
        name=row.name,
        changed_at=row.updated_at.timestamp(),
    )


rights_cache = RightsCache()


def admit(claims: Claims) -> Caller:
    """Return the caller of verified claims, and create its row at the first call.

    The row gets the name and the address of newer tokens. Raises `Unauthorized` if the user is
    disabled, or was erased after the token was issued.
    """
    rights = rights_cache.get(claims.subject)
    if rights is None:
        enrol(claims.subject, claims.email, claims.name, claims.issued)
    elif not rights.admit(claims.issued):
        raise _refusal(rights)
    elif rights.are_outdated_by(claims):
        FOLLOW_PROFILE.of(current_app)(claims)
    return Caller(claims.subject, claims.role, claims.issued, claims.permit)


def current_role(caller: Caller, within: Connection | None = None) -> str:
    """Return the caller's role now. Raises `Unauthorized` if the user is disabled or erased.

    A write calls it again `within` its transaction when it has its locks, because it may have
    waited for them.
    """
    rights = rights_cache.get(caller.subject, within)
    if rights is None or not rights.admit(caller.issued):
        raise _refusal(rights)
    return rights.role or caller.claimed_role


def _refusal(rights: Rights | None) -> Unauthorized:
    return Unauthorized(NOT_ADMITTED if rights and rights.disabled else ERASED)


def find(subject: str) -> User | None:
    """Return a user as stored in the database now."""
    return db.session.scalar(select(User).where(User.subject == subject))


def all_users() -> list[User]:
    """Return all users in the order of their first calls."""
    return list(db.session.scalars(select(User).order_by(User.seq)))


def enrol(
    subject: str, email: str | None = None, name: str | None = None, issued: float | None = None
) -> None:
    """Create the row of a subject if there is none.

    Raises `Unauthorized` if the subject was erased after `issued`, the issue time of its token.
    """
    times = dict.fromkeys(("created_at", "updated_at"), now())  # equal, as for any new record
    try:
        with write_transaction() as session:
            session.add(User(subject=subject, email=email, name=name, **times))
            session.flush()  # waits for a running erasure, so that the next line finds it
            _refuse_erased(session, subject, issued)
    except IntegrityError:  # a parallel first call of the same subject has created it
        _refuse_erased(db.session(), subject, issued)
        db.session.commit()


def _refuse_erased(session: Session, subject: str, issued: float | None) -> None:
    if erasure.revokes(erasure.erased_at(session, subject), issued):
        raise Unauthorized(ERASED)
