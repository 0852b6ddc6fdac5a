"""The storages of counted requests. Loaded only if `RATE_LIMITS` is set.

Source: https://limits.readthedocs.io, "Custom storage backends".
"""

import time
from typing import Any

from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import Storage, storage_from_string
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy import case, delete, select, text
from sqlalchemy.exc import SQLAlchemyError

from config import ConfigError
from service.database.access import write_transaction
from service.database.clock import current_time, from_now, has_passed, microseconds
from service.database.upsert import insert_into
from service.extensions import db, table
from service.limits.models import RateCount

ANSWER_SECONDS = 1.0  # of Redis

Away = StorageError

_counts = table(RateCount)


class DatabaseStorage(Storage):
    """The service's own database, with one statement for each counted request."""

    STORAGE_SCHEME = ["database"]

    @property
    def base_exceptions(self) -> type[Exception]:
        return SQLAlchemyError

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        has_ended = has_passed(_counts.c.ends_at, expiry)
        again = {
            "count": case((has_ended, amount), else_=_counts.c.count + amount),
            "ends_at": case((has_ended, from_now(expiry)), else_=_counts.c.ends_at),
        }
        with write_transaction() as session:
            counted = insert_into(session, _counts).values(
                key=key, count=amount, ends_at=from_now(expiry)
            )
            counted = counted.on_conflict_do_update(index_elements=[_counts.c.key], set_=again)
            return session.scalar(counted.returning(_counts.c.count)) or 0

    def get(self, key: str) -> int:
        found = select(_counts.c.count).where(_of(key), _counts.c.ends_at > current_time())
        return self._read(found) or 0

    def get_expiry(self, key: str) -> float:
        """Return when the window ends, on this process's clock."""
        left = microseconds(_counts.c.ends_at) - microseconds(current_time())
        return time.time() + max(self._read(select(left).where(_of(key))) or 0, 0) / 1_000_000

    def _read(self, statement: Any) -> int | None:
        value: int | None = db.session.scalar(statement)
        db.session.commit()
        return value

    def check(self) -> bool:
        return self._read(text("SELECT 1")) == 1

    def reset(self) -> int | None:
        with write_transaction() as session:
            session.execute(delete(_counts))
        return None

    def clear(self, key: str) -> None:
        with write_transaction() as session:
            session.execute(delete(_counts).where(_of(key)))


def _of(key: str) -> Any:
    return _counts.c.key == key


def limiter(url: str) -> FixedWindowRateLimiter:
    """Return a limiter that counts at `url`. Its errors are `Away`. Raises `ConfigError`."""
    times = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
    given = times if url.startswith("redis") else {}
    try:
        storage = storage_from_string(url, wrap_exceptions=True, **given)
    except ValueError:  # its text may contain a part of the password
        raise ConfigError(
            "RATE_LIMIT_STORAGE_URL: must be an address of Redis, "
            "with @, :, / and ? of a password percent-encoded"
        ) from None
    if given:
        _check_options(storage)
    return FixedWindowRateLimiter(storage)


def _check_options(storage: Any) -> None:
    """Make a connection object, which does not connect yet.

    Raises `ConfigError` for options of the address with which none can be made, because then every
    request would fail.
    """
    pool = storage.storage.connection_pool
    try:
        pool.connection_class(**pool.connection_kwargs)
    except (TypeError, storage.base_exceptions):
        raise ConfigError(
            "RATE_LIMIT_STORAGE_URL: must not have options that redis-py does not know"
        ) from None


def item(rate: str) -> RateLimitItem:
    """Return the limit of a text such as `30/minute`."""
    return parse(rate)
