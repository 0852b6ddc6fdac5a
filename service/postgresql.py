"""PostgreSQL: connecting to it, time limits of statements, and what is an outage."""

from collections.abc import Callable
from typing import Any

import gevent
import psycopg
import psycopg.waiting
from sqlalchemy import Connection, Engine, event

CONNECT_SECONDS = 2
PING_SECONDS = 1.0
GRACE = 1.0  # seconds for the server's own time limit to arrive here

# Classes and codes of errors of the server, not of the statement: connections, resources, operator
# intervention, system; then read-only after a failover, idle and overlong transactions,
# serialization failures, deadlocks and locks.
OUTAGE = ("08", "53", "57", "58", "25006", "25P03", "25P04", "40001", "40P01", "55P03")


class NoAnswer(psycopg.OperationalError):
    """The server has taken a statement and says nothing: it hangs, or the network does."""


class Patient(psycopg.Connection[Any]):
    """A connection that is given up when the server does not answer in time.

    The server ends a slow statement itself; this is for one that hangs or is out of reach.
    """

    seconds_left: Callable[[], float]

    def wait(self, *args: Any, **options: Any) -> Any:
        limit = self.seconds_left() + GRACE
        try:
            with gevent.Timeout(None if limit == float("inf") else limit, NoAnswer("no answer")):
                return super().wait(*args, **options)
        except NoAnswer:
            self.close()  # its state is unknown
            raise


def arguments(seconds: float) -> dict[str, Any]:
    """Arguments of a connection; `seconds` is the limit of a statement."""
    limit = f"-c statement_timeout={round(seconds * 1000)}"
    return {"connect_timeout": CONNECT_SECONDS, "options": limit, "application_name": "service"}


def listen(
    engine: Engine,
    seconds_left: Callable[[], float],
    limited: Callable[[float], Any],
    is_limited: Callable[[], bool],
) -> None:
    """Apply the time limits to an engine. `seconds_left()` is how long a statement may take, and
    `limited(seconds)` a context that shortens it."""
    _check_waiting()
    kind = type("Patient", (Patient,), {"seconds_left": staticmethod(seconds_left)})
    ping = engine.dialect.do_ping

    def ping_soon(connection: Any) -> bool:
        with limited(PING_SECONDS):
            return ping(connection)

    engine.dialect.do_ping = ping_soon  # type: ignore[method-assign]

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, args: Any, parameters: Any) -> Any:
        return kind.connect(*args, **parameters)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if is_limited():
            left = seconds_left()
            limit = 0 if left == float("inf") else round(left * 1000) or 1
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {limit}")


def is_outage(error: BaseException | None) -> bool:
    """Whether an error is the server's. One without a code means that no server answered."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(OUTAGE)


def _check_waiting() -> None:
    """psycopg imported before gevent patched the process waits in C, and every query then stops
    all greenlets: ten parallel half-second queries took five seconds."""
    if psycopg.waiting.wait is getattr(psycopg.waiting, "wait_c", None):
        raise RuntimeError("psycopg was imported before gevent's monkey patching")
