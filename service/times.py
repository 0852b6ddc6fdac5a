"""The time now, and times as text."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)  # the smallest difference between two stored times


def now() -> datetime:
    """Return the time of this host's clock, in UTC. `database/clock.py` has the database's."""
    return datetime.now(UTC)


def later_than(moment: datetime) -> datetime:
    """Return the time now, or the first time after `moment` if the clock is not past it."""
    return max(now(), moment + MICROSECOND)


def timestamp(moment: datetime) -> str:
    """Format a time for answers: ISO 8601 in UTC with microseconds and `Z`."""
    return f"{utc_text(moment, 'T')}Z"


def utc_text(moment: datetime, separator: str) -> str:
    """Format an aware time in UTC, with microseconds and without a zone.

    `isoformat` takes more than twice as long, and a turn formats some forty times.
    """
    since = moment - EPOCH
    return f"{_second(since.days, since.seconds, separator)}.{since.microseconds:06}"


@lru_cache(256)
def _second(days: int, seconds: int, separator: str) -> str:
    """Format a second since 1970. The cache serves the other times in the same second."""
    second = EPOCH + timedelta(days, seconds)
    return second.replace(tzinfo=None).isoformat(separator)
