"""PostgreSQL: connections, time limits of statements, and outages."""

import time
from collections.abc import Callable
from contextlib import suppress
from select import POLLIN
from typing import Any, NoReturn

import gevent
import psycopg
import psycopg.waiting
from gevent.monkey import get_original
from psycopg.abc import PQGen
from sqlalchemy import URL, Connection, Engine, event

CONNECT_SECONDS = 2
PING_SECONDS = 1.0
FRESH_SECONDS = 1.0  # for which an answer shows that the server is there
GRACE = 1.0  # seconds for the server's own error about its time limit to arrive
IDLE_SECONDS = 30  # of a transaction between two statements: its process is stopped or lost
# Both sides notice in 25 seconds that the other host is lost. The systems' defaults are hours, in
# which the locks and the snapshot of a lost host would hold up all others.
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
# intervention, system; then read-only after a failover, timeouts of transactions, serialization
# failures, deadlocks and locks.
OUTAGE = ("08", "53", "57", "58", "25006", "25P03", "25P04", "40001", "40P01", "55P03")

Error = psycopg.Error
poll: Any = get_original("select", "poll")  # gevent's own lets other greenlets run


class NoAnswer(psycopg.OperationalError):
    """The server has received a statement and does not answer: it or the network hangs."""


class CooperativeConnection(psycopg.Connection[Any]):
    """A connection that waits in gevent's event loop. psycopg's own wait polls every 0.1 s, by a
    stand-in for `select.poll` that makes several objects for each wait."""

    used_at = 0.0  # monotonic: when the server has last answered

    def wait(self, gen: PQGen[Any], *args: Any, **options: Any) -> Any:
        """Complete an operation, which yields what it has to wait for."""
        if args or options:  # a time limit: for notifications
            return super().wait(gen, *args, **options)
        try:
            wanted = next(gen)
            self.complete(gen, wanted)
        except StopIteration as ended:
            return ended.value
        except (KeyboardInterrupt, SystemExit):  # as psycopg does, or the server would go on
            with suppress(psycopg.Error):
                self.cancel_safe(timeout=CONNECT_SECONDS)
            raise

    def complete(self, gen: PQGen[Any], wanted: int) -> NoReturn:
        """Wait for what is wanted, 1 to read and 2 to write, as the event loop has it as well.

        Raises StopIteration at the end.
        """
        hub = gevent.get_hub()
        while True:
            with hub.loop.io(self.pgconn.socket, wanted) as watcher:
                hub.wait(watcher)
            if wanted == POLLIN:
                self.used_at = time.monotonic()
            wanted = gen.send(wanted)

    @property
    def is_fresh(self) -> bool:
        """Whether the server has just answered, and has neither closed the connection nor said
        anything since. So it needs no ping."""
        if time.monotonic() - self.used_at > FRESH_SECONDS:
            return False
        poller = poll()
        poller.register(self.pgconn.socket, POLLIN)  # the end and errors are reported as well
        return not poller.poll(0)


class TimedConnection(CooperativeConnection):
    """A connection that is closed when the server does not answer in time.

    The server ends a slow statement itself. This is for a server that hangs or is unreachable.
    """

    seconds_left: Callable[[], float]

    def complete(self, gen: PQGen[Any], wanted: int) -> NoReturn:
        limit = self.seconds_left() + GRACE
        try:
            with gevent.Timeout(None if limit == float("inf") else limit, NoAnswer("no answer")):
                super().complete(gen, wanted)
        except NoAnswer:
            self.close()  # its state is unknown
            raise


def connect_arguments(seconds: float) -> dict[str, Any]:
    """Return the arguments of a connection. `seconds` is the time limit of a statement."""
    return _arguments({"statement_timeout": round(seconds * 1000), **SERVER_OPTIONS})


def prepare_engine(
    engine: Engine,
    seconds_left: Callable[[], float],
    time_limit: Callable[[float], Any],
    has_limit: Callable[[], bool],
) -> None:
    """Apply the time limits to an engine.

    `seconds_left()` is how long a statement may take, and `time_limit(seconds)` is a context that
    changes it.
    """
    _check_patched()
    limits = {"seconds_left": staticmethod(seconds_left)}
    connection_class: Any = type("LimitedConnection", (TimedConnection,), limits)
    ping = engine.dialect.do_ping

    def limited_ping(connection: Any) -> bool:
        if connection.is_fresh:
            return True
        with time_limit(PING_SECONDS):
            return ping(connection)

    engine.dialect.do_ping = limited_ping  # type: ignore[method-assign,assignment]

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, args: Any, parameters: Any) -> Any:
        return connection_class.connect(*args, **parameters)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        driver: Any = connection.connection.dbapi_connection
        if has_limit() and not driver.autocommit:
            left = seconds_left()
            limit = 0 if left == float("inf") else round(left * 1000) or 1
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {limit}")


def connect_to_listen(url: URL) -> psycopg.Connection[Any]:
    """Open a connection outside the pool, for notifications. Raises `Error`."""
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    return CooperativeConnection.connect(address, autocommit=True, **_arguments(SERVER_OPTIONS))


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


def is_outage(error: BaseException | None) -> bool:
    """Whether the server is at fault. An error without a code means that no server answered."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(OUTAGE)


def _check_patched() -> None:
    """Raise RuntimeError if psycopg was imported before gevent patched the process.

    It would wait in C then, and every query would block all greenlets.
    """
    if psycopg.waiting.wait is getattr(psycopg.waiting, "wait_c", None):
        raise RuntimeError("psycopg was imported before gevent's monkey patching")
