"""Leases of refreshes: only one call at a time refreshes the tokens in a row.

A refresh runs under a lease that is longer than its deadline, with no transaction open. All times
are the database's. Many providers give each refresh token only once. So a refresh continues if its
caller is interrupted, and stores its tokens as soon as a lost database is available again.
Source: docs/decisions/0007.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import gevent
from flask import current_app
from sqlalchemy import ColumnElement, or_, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.sql.dml import ReturningUpdate

from service.database.access import core_transaction, is_outage, write_transaction
from service.database.clock import current_time, from_now
from service.database.detached import run_detached
from service.extensions import db, table
from service.ids import new_id

MARGIN = timedelta(seconds=60)  # a token is refreshed so long before its end (at most life / 4)
LEASE = timedelta(seconds=20)  # longer than a request for tokens may take
LONGEST_LEASE = timedelta(seconds=60)  # for a refresh that needs more requests
COOL_DOWN = timedelta(seconds=2)  # after a refresh that failed
PATIENCE_SECONDS = 25.0  # that a caller waits for the refresh of another one
INSIST_SECONDS = 5.0  # for which writing to a lost database is tried again
INSIST_EVERY = 0.25  # seconds
NOT_REFRESHED = "tokens not refreshed"  # event of the log


class Refreshable(Protocol):
    """A row with tokens. `version` counts their writes; `updated_at` is the start of their life."""

    seq: Any
    expires_at: Any
    updated_at: Any
    version: Any
    lease_until: Any
    failed_at: Any


Row = TypeVar("Row", bound=Refreshable)


class NotRefreshed(Exception):
    """The access token has expired, and a refresh has failed or takes too long."""


@dataclass(frozen=True)
class TokensRead(Generic[Row]):
    """A row and the database's time when it was read (`at`).

    A row is never due if nothing `can_refresh` it.
    """

    row: Row
    at: datetime
    can_refresh: bool = True

    @property
    def margin(self) -> timedelta:
        """The time before the access token's end at which it is refreshed."""
        life: timedelta = self.row.expires_at - self.row.updated_at
        return min(MARGIN, life / 4)

    @property
    def is_due(self) -> bool:
        """Whether it is time for a refresh: a little before the end."""
        return bool(self.can_refresh and self.row.expires_at - self.margin <= self.at)

    @property
    def is_usable(self) -> bool:
        """Whether its access token has not expired."""
        expires_at: datetime = self.row.expires_at
        return expires_at > self.at

    @property
    def is_leased(self) -> bool:
        until = self.row.lease_until
        return until is not None and self.at < until <= self.at + 2 * LONGEST_LEASE

    def has_failed(self, began: datetime) -> bool:
        """Return whether a refresh has failed since a wait began, or shortly before."""
        failed_at = self.row.failed_at
        return failed_at is not None and began - COOL_DOWN < failed_at <= self.at + COOL_DOWN


def usable(
    read: Callable[[], TokensRead[Row] | None],
    refresh: Callable[[Row, str], bool],
    lasts: timedelta = LEASE,
) -> TokensRead[Row] | None:
    """Return a row whose access token has not expired, or None if `read` finds no row.

    The token is refreshed shortly before its end: `refresh` gets the row and the id of a lease, and
    returns whether it has stored tokens. If it fails, the token is used until its end.

    Raises `NotRefreshed`, and the exceptions of `read` and `refresh`.
    """
    gives_up = time.monotonic() + PATIENCE_SECONDS
    began, pause = None, 0.03
    while time.monotonic() < gives_up:
        snapshot = read()
        if snapshot is None or not snapshot.is_due:
            return snapshot
        began = began or snapshot.at
        has_failed = snapshot.has_failed(began)
        if not has_failed and (lease_id := lease(snapshot, lasts)):
            if run_detached(partial(refresh, snapshot.row, lease_id), NOT_REFRESHED):
                return read()  # perhaps due again: a life may be shorter than a refresh
        elif snapshot.is_usable:
            return snapshot
        elif has_failed:
            break
        else:
            gevent.sleep(pause)
            pause = min(pause * 1.5, 0.5)
    raise NotRefreshed


def read(model: type[Row], **key: str) -> TokensRead[Row] | None:
    """Return the row with this key, with the database's time. Needs an app context."""
    found = db.session.execute(
        select(model, current_time()).filter_by(**key).execution_options(populate_existing=True)
    ).one_or_none()
    db.session.commit()
    return TokensRead(*found) if found else None


def lease(snapshot: TokensRead[Any], lasts: timedelta = LEASE) -> str | None:
    """Return the id of a new lease for a refresh of this version, or None if another one exists.

    `lasts` is at most `LONGEST_LEASE`. Within `COOL_DOWN` after a failure, None is returned too.
    If the connection is lost at the commit, the lease is tried once more, because it may exist: it
    would keep all callers waiting, its owner too.

    A lease that ends later than any lease can, and a failure far in the future, are ignored,
    because the clock must have been set back. Times slightly in the future are not ignored: a
    statement that has waited for the row uses the time at which it began.
    """
    if snapshot.is_leased:
        return None  # saves a write for each call that waits
    lease_id, longest = new_id("lease"), LONGEST_LEASE.total_seconds()
    rows = table(type(snapshot.row))
    until, failed = rows.c.lease_until, rows.c.failed_at
    pause = COOL_DOWN.total_seconds()
    passed = or_(until.is_(None), until < current_time(), until > from_now(2 * longest))
    free = or_(passed, rows.c.lease_id == lease_id)  # as left by a commit whose reply was lost
    calm = or_(failed.is_(None), failed < from_now(-pause), failed > from_now(pause))
    mine = update(rows).where(*is_unchanged(snapshot.row), free, calm)
    taken = mine.values(lease_id=lease_id, lease_until=from_now(lasts.total_seconds()))
    try:
        is_taken = _write(taken.returning(rows.c.seq))
    except DBAPIError as error:
        if not is_outage(error):
            raise
        is_taken = _write(taken.returning(rows.c.seq))
    return lease_id if is_taken else None


def _write(statement: ReturningUpdate[Any]) -> bool:
    """Return whether the statement has changed a row.

    The row that the caller has read stays loaded if this fails. A session would expire it.
    """
    with core_transaction(current_app) as session:
        return session.execute(statement).first() is not None


def store(row: Refreshable, lease_id: str, values: Mapping[str, Any]) -> bool:
    """Write the values that a refresh has received, and end its lease.

    New tokens, which come with a `version`, are stored even if the lease has lapsed, because the
    provider may no longer accept the earlier ones. Other values are stored only under the lease.
    Returns False if other tokens have been stored since, or the row no longer exists. During an
    outage the write is tried again for `INSIST_SECONDS`. Raises `SQLAlchemyError`.
    """
    gives_up, again = time.monotonic() + INSIST_SECONDS, False
    while True:
        try:
            return _store(row, lease_id, values, again)
        except SQLAlchemyError as error:
            if not is_outage(error) or time.monotonic() >= gives_up:
                raise
        again = True
        gevent.sleep(INSIST_EVERY)


def _store(row: Refreshable, lease_id: str, values: Mapping[str, Any], again: bool) -> bool:
    """Store the values. With `again`, find out whether an earlier commit has stored them."""
    rows = table(type(row))
    mine = update(rows).where(*is_unchanged(row))
    if "version" not in values:
        mine = mine.where(rows.c.lease_id == lease_id)
    written = mine.values(**values, lease_id=None, lease_until=None).returning(rows.c.seq)
    with write_transaction() as session:
        if session.execute(written).first() is not None:
            return True
        sealed = [rows.c[name] == value for name, value in values.items() if isinstance(value, str)]
        stored = select(rows.c.seq).where(rows.c.seq == row.seq, *sealed)
        return again and bool(sealed) and session.scalar(stored) is not None


def note_failure(row: Refreshable) -> None:
    """Store that a refresh has just failed, unless the tokens have been written since."""
    failed = update(table(type(row))).where(*is_unchanged(row))
    with write_transaction() as session:
        session.execute(failed.values(failed_at=current_time()))


def is_unchanged(row: Refreshable) -> tuple[ColumnElement[bool], ...]:
    """Return the SQL conditions for the row if its tokens have not been written since."""
    rows = table(type(row))
    return rows.c.seq == row.seq, rows.c.version == row.version
