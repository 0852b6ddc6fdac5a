"""How many turns, calls and sockets one user has at once, over all workers.

Each of them has a ticket of its user while it runs. On PostgreSQL a ticket is a lock that all
workers see; on SQLite, which serves one worker, tickets are counted in memory. A start with more
workers on SQLite logs a warning.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal
from weakref import WeakValueDictionary

from flask import Flask
from gevent.lock import BoundedSemaphore
from sqlalchemy import URL, make_url

from config import Settings
from service.app_keys import AppKey
from service.auth.users import OWNER
from service.limits.advisory import AdvisoryLocks, LocksAway
from service.limits.rates import RATES
from service.observing import measures
from service.web.errors import RateLimited

LimitedKind = Literal["turns", "calls", "sockets"]
CONCURRENCY = AppKey["ConcurrencyLimits"]("concurrency")
SOCKETS = 20  # of one user
# Locks share a table in PostgreSQL's memory. Beyond so many locks of this worker, only its own
# count limits further tickets.
MOST_LOCKS = 1000
OF_INTEGRATION = 100  # calls at once in one worker; each holds a greenlet and a connection
RETRY_SECONDS: dict[LimitedKind, int] = {"turns": 5, "calls": 1, "sockets": 5}
REFUSALS: dict[LimitedKind, str] = {
    "turns": "At most {most} of your replies may run at once. Wait for one to end.",
    "calls": "At most {most} of your calls may run at once. Wait for one to end.",
    "sockets": "A user may have at most {most} sockets at a time.",
}
POLL_SECONDS = 5.0  # that a request for a state waits for others of its user
POLLS = "Too many requests for the states of your jobs or connections are running. Try again soon."
BUSY = "Too many calls of this integration are running now. Please try again in a moment."


class TooManyAtOnce(RateLimited):
    """The user has all tickets of a kind, or the most jobs."""


@dataclass(slots=True)
class Ticket:
    """A ticket counts until `free` is called; a second call does nothing."""

    _limits: "ConcurrencyLimits"
    _kind: LimitedKind
    _subject: str
    _lock: int | None
    _is_free: bool = False

    def give_back(self) -> None:
        """Free the ticket of something that needed none, and do not count it for `RATE_LIMITS`."""
        self.free()
        self._limits.rates.give_back(self._kind, self._subject)

    def free(self) -> None:
        if not self._is_free:
            self._is_free = True
            self._limits.leave(self._kind, self._subject, self._lock)


class ConcurrencyLimits:
    """The tickets of this worker's users.

    The app's owner, for whom gateways call, needs no tickets.
    """

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app
        self.rates = RATES.of(app)
        self._most: dict[LimitedKind, int] = {
            "turns": settings.turns_at_once,
            "calls": settings.calls_at_once,
            "sockets": SOCKETS,
        }
        url: URL = make_url(settings.database_url)
        is_shared = url.get_backend_name() == "postgresql"
        self._locks = AdvisoryLocks(url) if is_shared else None
        # The tickets in this worker, by user.
        self._here: dict[LimitedKind, Counter[str]] = {kind: Counter() for kind in self._most}
        self._of_integration: Counter[str] = Counter()
        self._polls: WeakValueDictionary[str, BoundedSemaphore] = WeakValueDictionary()

    def take(self, kind: LimitedKind, subject: str) -> Ticket:
        """Let one more begin, and count it for `RATE_LIMITS`, unless it is refused.

        Raises `TooManyAtOnce` while the user has all tickets of this kind, and `RateLimited` if the
        user has begun too many.
        """
        here, most = self._here[kind], self._most[kind]
        is_limited = subject != OWNER.of(self._app).subject
        if is_limited and here.get(subject, 0) >= most:
            raise _refusal(kind, most)
        here[subject] = here.get(subject, 0) + 1
        may_begin = False
        try:
            self.rates.hit(kind, subject)
            lock = self._lock(kind, subject, most) if is_limited else None
            may_begin = True
        except TooManyAtOnce:
            self.rates.give_back(kind, subject)
            raise
        finally:
            if not may_begin:
                self.leave(kind, subject, None)
        return Ticket(self, kind, subject, lock)

    def count(self, kind: LimitedKind) -> int:
        """Return how many of a kind this worker has, for all users together."""
        return self._here[kind].total()

    def close(self) -> None:
        """Close the connection that has the locks."""
        if self._locks:
            self._locks.close()

    def _lock(self, kind: LimitedKind, subject: str, most: int) -> int | None:
        """Return the lock of a free ticket; None if only this worker's count limits it."""
        if self._locks is None or len(self._locks.held) >= MOST_LOCKS:
            return None
        try:
            lock = self._locks.take(f"{kind}:{subject}", range(most))
        except LocksAway:
            return None  # an unavailable database is no reason to refuse
        if lock is None:
            raise _refusal(kind, most)
        return lock

    def leave(self, kind: LimitedKind, subject: str, lock: int | None) -> None:
        """Stop counting one of a user, and free its lock."""
        here = self._here[kind]
        here[subject] -= 1
        if not here[subject]:
            del here[subject]
        if lock is not None and self._locks:
            self._locks.free(lock)

    @contextmanager
    def call(self, subject: str, integration: str) -> Iterator[None]:
        """Have a ticket for a call, and room for its integration. Raises `RateLimited`.

        A call that is refused because the user has too many jobs does not count for `RATE_LIMITS`.
        """
        here = self._of_integration.get(integration, 0)
        if here >= OF_INTEGRATION:
            measures.LIMITED.labels("integration").inc()
            raise RateLimited(BUSY)
        self._of_integration[integration] = here + 1  # before `take`, which may wait
        try:
            ticket = self.take("calls", subject)
            try:
                yield
            except TooManyAtOnce:
                ticket.give_back()
                raise
            finally:
                ticket.free()
        finally:
            self._of_integration[integration] -= 1

    @contextmanager
    def poll(self, subject: str) -> Iterator[None]:
        """Wait until this worker runs fewer requests for states of the user than `CALLS_AT_ONCE`.

        Each may ask a vendor or another instance that hangs. Raises `RateLimited`.
        """
        free = self._polls.setdefault(subject, BoundedSemaphore(self._most["calls"]))
        if subject == OWNER.of(self._app).subject:
            yield
        elif free.acquire(timeout=POLL_SECONDS):
            try:
                yield
            finally:
                free.release()
        else:
            measures.LIMITED.labels("polls-at-once").inc()
            raise RateLimited(POLLS)


def _refusal(kind: LimitedKind, most: int) -> TooManyAtOnce:
    measures.LIMITED.labels(f"{kind}-at-once").inc()
    error = TooManyAtOnce(REFUSALS[kind].format(most=most))
    error.headers = {"Retry-After": str(RETRY_SECONDS[kind])}
    return error


def init_app(app: Flask, settings: Settings) -> None:
    CONCURRENCY.set(app, ConcurrencyLimits(app, settings))
