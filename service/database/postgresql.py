"""PostgreSQL: connections, time limits of statements, and outages."""

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import gevent
import psycopg
import psycopg.waiting
from psycopg.abc import PQGen
from sqlalchemy import URL, Connection, Engine, ExceptionContext, event

from service.database.kept_transaction import has_begun
from service.database.pipeline import PipelinedConnection
from service.database.postgresql_wait import CONNECT_SECONDS
from service.database.time_limits import STATEMENT_SECONDS, has_limit, seconds_left, time_limit

PING_SECONDS = 1.0
GRACE_SECONDS = 1.0  # for the server's own error about its time limit to arrive
# Between two statements of a transaction; a longer pause means that its process is suspended or
# lost. Until then, its locks block others and its open transaction stops the feed of changes.
IDLE_SECONDS = 15
# Both sides notice within 25 seconds that the other host is lost. By default this takes operating
# systems hours, in which the locks and the snapshot of a lost host would block all others.
PROBES_AFTER, PROBE_EVERY, PROBES = 10, 5, 3  # seconds, seconds, number
LOST_AFTER = PROBES_AFTER + PROBE_EVERY * PROBES
SERVER_OPTIONS = {
    "tcp_keepalives_idle": PROBES_AFTER,
    "tcp_keepalives_interval": PROBE_EVERY,
    "tcp_keepalives_count": PROBES,
    "tcp_user_timeout": LOST_AFTER * 1000,
    "idle_in_transaction_session_timeout": IDLE_SECONDS * 1000,
}

# Classes and codes of errors that are not the statement's fault: connections, resources, operator
# intervention, system errors; then a read-only server after a failover, timeouts of transactions,
# serialization failures, deadlocks and unavailable locks.
OUTAGE = ("08", "53", "57", "58", "25006", "25P03", "25P04", "40001", "40P01", "55P03")

Error = psycopg.Error


class NoAnswer(psycopg.OperationalError):
    """The server has received a statement and does not answer: the server or the network hangs."""


class NotConnected(psycopg.OperationalError):
    """No connection was made. The text is libpq's reason.

    It names the address, the role and the database, and no password.
    """


class TimedConnection(PipelinedConnection):
    """A connection that is closed when the server does not answer in time.

    The server ends a slow statement itself. This is for a server that hangs or is unreachable.
    """

    def complete(self, gen: PQGen[Any], wanted: int) -> NoReturn:
        limit = seconds_left() + GRACE_SECONDS
        if limit == float("inf"):
            super().complete(gen, wanted)
        # A `gevent.Timeout` takes three times as long.
        with gevent.get_hub().loop.timer(limit) as timer:
            timer.start(gevent.getcurrent().throw, NoAnswer("no answer"))
            super().complete(gen, wanted)  # an exception thrown into the wait closes it


def connect_arguments() -> dict[str, Any]:
    """Return the arguments of a connection of the pool."""
    return _arguments({"statement_timeout": round(STATEMENT_SECONDS * 1000), **SERVER_OPTIONS})


def prepare_engine(engine: Engine) -> None:
    """Apply the time limits to an engine."""
    _check_patched()
    ping = partial(_ping, engine.dialect.do_ping)
    engine.dialect.do_ping = ping  # type: ignore[method-assign]
    event.listen(engine, "do_connect", _connect)
    event.listen(engine, "handle_error", _give_up)
    event.listen(engine, "begin", _begin)


def _ping(ping: Callable[[Any], bool], connection: Any) -> bool:
    if connection.is_fresh:
        return True
    with time_limit(PING_SECONDS):
        return ping(connection)


def _connect(dialect: Any, record: Any, args: Any, parameters: Any) -> PipelinedConnection:
    try:
        return TimedConnection.connect(*args, **parameters)
    except psycopg.Error as error:  # also for an option that libpq does not know
        raise NotConnected(" ".join(str(error).split())) from None


def _give_up(context: ExceptionContext) -> None:
    """Tell SQLAlchemy that an exception thrown into a wait has closed the connection."""
    connection = context.connection
    if connection is None or connection.invalidated:
        return
    driver: Any = connection.connection.dbapi_connection
    if driver.closed and not isinstance(context.original_exception, psycopg.Error):
        context.is_disconnect = True  # or a rollback would fail and raise its own error
        context.invalidate_pool_on_disconnect = False  # keep the other connections


def _begin(connection: Connection) -> None:
    if has_begun(connection):
        return
    driver: Any = connection.connection.dbapi_connection
    if has_limit() and not driver.autocommit:
        left = seconds_left()
        limit = 0 if left == float("inf") else round(left * 1000) or 1
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {limit}")


def connect_alone(url: URL) -> PipelinedConnection:
    """Open a connection outside the pool, without transactions. Raises `Error`."""
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    return PipelinedConnection.connect(address, autocommit=True, **_arguments(SERVER_OPTIONS))


def _arguments(options: dict[str, int]) -> dict[str, Any]:
    return {
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": PROBES_AFTER,
        "keepalives_interval": PROBE_EVERY,
        "keepalives_count": PROBES,
        "tcp_user_timeout": LOST_AFTER * 1000,
        "options": " ".join(f"-c {name}={value}" for name, value in options.items()),
        "application_name": "service",
    }


def words_of(error: BaseException | None) -> str | None:
    """Return why there is no connection, or the server's message without its details.

    Return None if the server has not answered.
    """
    if isinstance(error, NotConnected):
        return str(error)
    return error.diag.message_primary if isinstance(error, psycopg.Error) else None


def is_outage(error: BaseException | None) -> bool:
    """Return whether the server is at fault.

    An operational error without a code means that no server answered. The codes decide otherwise,
    because some of them also occur with other classes of errors.
    """
    if not isinstance(error, psycopg.Error):
        return False
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate.startswith(OUTAGE)


def _check_patched() -> None:
    """Raise RuntimeError if psycopg was imported before gevent patched the process.

    It would then wait in C, and every query would block all greenlets.
    """
    if psycopg.waiting.wait is getattr(psycopg.waiting, "wait_c", None):
        raise RuntimeError("psycopg was imported before gevent's monkey patching")
