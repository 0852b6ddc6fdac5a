"""How often a user may do something, by `RATE_LIMITS`.

The library `limits`, the core of Flask-Limiter, counts the requests. It is used directly, because
turns and calls also come through tools, MCP and the socket, which are not routes.
"""

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import structlog
from flask import Flask, current_app
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from config import ConfigError, Settings
from service.app_keys import AppKey
from service.auth.users import OWNER
from service.database.clock import current_time
from service.extensions import table
from service.lazy import DeferredModule
from service.limits.models import RateCount
from service.observing import measures
from service.web.errors import RateLimited

RateKind = Literal["turns", "calls", "records", "sockets", "tokens"]
# Called with limits, a kind and a hashed user.
ApplyLimits = Callable[[Sequence[Any], RateKind, str], None]
REFUSED: dict[RateKind, str] = {
    "turns": "You have sent too many messages.",
    "calls": "You have made too many calls.",
    "records": "You have made too many changes of records.",
    "sockets": "You have opened too many sockets.",
    "tokens": "You have requested too many tokens.",
}
RATES = AppKey["Rates"]("rates")
LOG_SECONDS = 60.0
BATCH = 1000  # rows of one transaction

_counts = table(RateCount)

stores = DeferredModule("service.limits.stores")  # it loads the library
log = structlog.get_logger("limits")


class Rates:
    """The rates of this instance's users. They cost nothing if `RATE_LIMITS` is not set.

    The app's owner has no limit. While the counts can't be reached, everybody is admitted, and the
    log says so once a minute.
    """

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app
        self._items: dict[str, list[Any]] = {}
        self._limiter: Any = None
        self._logged = float("-inf")
        for kind, rate in settings.rate_limits:
            self._items.setdefault(kind, []).append(stores.item(rate))
        if self._items:
            _check_workers(settings)
            self._limiter = stores.limiter(settings.rate_limit_storage_url)

    def hit(self, kind: RateKind, subject: str) -> None:
        """Count one more. Needs an app context. Raises `RateLimited`."""
        self._count(kind, subject, self._hit)

    def give_back(self, kind: RateKind, subject: str) -> None:
        """Count one less, for something that was counted and then not used.

        Needs an app context.
        """
        self._count(kind, subject, self._take_off)

    def _count(self, kind: RateKind, subject: str, act: ApplyLimits) -> None:
        items = self._items.get(kind, ())
        if not items or subject == OWNER.of(self._app).subject:
            return
        # Counts outlive an erased user for at most a day, so they don't name it.
        user = hashlib.blake2b(subject.encode(), digest_size=16).hexdigest()
        try:
            act(items, kind, user)
        except stores.Away as error:
            self._log(error)

    def _hit(self, items: Sequence[Any], kind: RateKind, user: str) -> None:
        for number, one in enumerate(items):
            if not self._limiter.hit(one, kind, user):
                # Otherwise repeated requests would use up the limit of a whole day.
                self._take_off(items[:number], kind, user)
                raise self._refusal(kind, one, user)

    def _take_off(self, items: Sequence[Any], kind: RateKind, user: str) -> None:
        for one in items:
            is_new = self._limiter.test(one, kind, user, cost=one.amount)
            if is_new:  # an empty window began after this was counted
                continue
            key, seconds = one.key_for(kind, user), one.get_expiry()
            storage = self._limiter.storage
            if storage.incr(key, seconds, amount=-1) < 0:  # it began after the test
                storage.incr(key, seconds, amount=1)

    def _refusal(self, kind: RateKind, one: Any, user: str) -> RateLimited:
        measures.LIMITED.labels(kind).inc()
        ends = self._limiter.get_window_stats(one, kind, user).reset_time
        wait = max(math.ceil(ends - time.time()), 1)
        error = RateLimited(f"{REFUSED[kind]} Try again in {wait} s.")
        error.headers = {"Retry-After": str(wait)}
        return error

    def _log(self, error: Any) -> None:
        if time.monotonic() - self._logged > LOG_SECONDS:
            self._logged = time.monotonic()
            cause = type(error.storage_error).__name__
            log.warning("rates not counted", error=type(error).__name__, cause=cause)


def _check_workers(settings: Settings) -> None:
    if settings.rate_limit_storage_url.startswith("memory:") and settings.web_concurrency > 1:
        raise ConfigError(
            "RATE_LIMIT_STORAGE_URL: must be redis://… or database:// with several workers, "
            "because each would count for itself"
        )


def count(kind: RateKind, subject: str) -> None:
    """Count one more in the current app. Raises `RateLimited`."""
    RATES.of(current_app).hit(kind, subject)


def sweep(session: Session) -> None:
    """Delete a batch of the windows that have ended, except rows locked by another worker."""
    ended = select(_counts.c.key).where(_counts.c.ends_at <= current_time())
    keys = session.scalars(ended.limit(BATCH).with_for_update(skip_locked=True)).all()
    if keys:
        session.execute(delete(_counts).where(_counts.c.key.in_(keys)))


def init_app(app: Flask, settings: Settings) -> None:
    RATES.set(app, Rates(app, settings))
