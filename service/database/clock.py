"""The clock of the database, as an SQL expression.

Workers compare leases and expiries, and the clocks of two hosts differ. So the workers use the
clock of their common database. On PostgreSQL the time is the same throughout a statement. SQLite
runs inside the only worker, so its time is the time of the process, from a function that
`sqlite.py` registers on each connection.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Double, bindparam, or_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import BindParameter
from sqlalchemy.sql.functions import GenericFunction

from service.column_types import UTCDateTime
from service.times import utc_text

SQLITE_FUNCTION = "time_from_now"
SLACK_SECONDS = 30.0  # a statement that waits for a row compares the time at which it began


class from_now(GenericFunction[datetime]):  # noqa: N801 - it is used like func.now()
    """The time of the database plus `seconds`, a number or a bound parameter."""

    type = UTCDateTime()
    inherit_cache = True

    def __init__(self, seconds: float | BindParameter[Any] = 0.0) -> None:
        bound = seconds if isinstance(seconds, BindParameter) else bindparam(None, seconds, Double)
        super().__init__(bound)


@compiles(from_now, "sqlite")
def _sqlite_from_now(element: Any, compiler: Any, **options: Any) -> str:
    return f"{SQLITE_FUNCTION}({compiler.process(element.clauses, **options)})"


@compiles(from_now, "postgresql")
def _postgresql_from_now(element: Any, compiler: Any, **options: Any) -> str:
    seconds = compiler.process(element.clauses, **options)
    return f"(statement_timestamp() + make_interval(secs => {seconds}))"


class microseconds(GenericFunction[int]):  # noqa: N801
    """A time column as integer microseconds since 1970, which can be added exactly."""

    type = BigInteger()
    inherit_cache = True


@compiles(microseconds, "sqlite")
def _sqlite_microseconds(element: Any, compiler: Any, **options: Any) -> str:
    text = compiler.process(element.clauses, **options)
    # The fraction is cut off, because SQLite would round .9996 to the next second.
    return f"(unixepoch(substr({text}, 1, 19)) * 1000000 + CAST(substr({text}, 21, 6) AS INTEGER))"


@compiles(microseconds, "postgresql")
def _postgresql_microseconds(element: Any, compiler: Any, **options: Any) -> str:
    moment = compiler.process(element.clauses, **options)
    return f"CAST(extract(epoch FROM {moment}) * 1000000 AS bigint)"


def time_from_now(seconds: float) -> str:
    """Return the time `seconds` from now, in the format of SQLite's columns. SQLite calls it."""
    return utc_text(datetime.now(UTC) + timedelta(seconds=seconds), " ")


def current_time() -> ColumnElement[datetime]:
    """Return an expression for the time of the database."""
    return from_now(0.0)


def has_passed(moment: Any, longest: float) -> ColumnElement[bool]:
    """Return the SQL condition that a stored time has passed.

    It was at most `longest` seconds ahead when it was stored. A time that is further ahead counts
    as passed, because the clock must have been set back.
    """
    return or_(moment <= current_time(), moment > from_now(longest + SLACK_SECONDS))
