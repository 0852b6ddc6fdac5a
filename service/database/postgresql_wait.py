"""Wait for PostgreSQL without blocking other greenlets."""

import time
from contextlib import suppress
from select import POLLIN
from typing import Any, NoReturn

import gevent
import psycopg
from gevent.monkey import get_original
from psycopg.abc import PQGen

CONNECT_SECONDS = 2
FRESH_SECONDS = 1.0  # for which an answer shows that the server is available

poll: Any = get_original("select", "poll")  # gevent's version lets other greenlets run


class ClosedOnError:
    """A context manager that closes a connection if its block raises or its greenlet is killed.

    libpq may then have a part of a statement, or answers that nobody has read.
    """

    __slots__ = ("_connection", "_spared")

    def __init__(
        self, connection: psycopg.Connection[Any], spared: tuple[type[BaseException], ...] = ()
    ) -> None:
        self._connection, self._spared = connection, spared

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind and not issubclass(kind, self._spared):
            self._connection.close()


class CooperativeConnection(psycopg.Connection[Any]):
    """A connection that waits in gevent's event loop.

    psycopg's own wait polls every 0.1 s, with gevent's `select.poll`, which makes several objects
    for each wait.
    """

    used_at = 0.0  # monotonic time of the server's last answer

    def wait(self, gen: PQGen[Any], *args: Any, **options: Any) -> Any:
        """Complete an operation, which yields the event to wait for."""
        if args or options:  # a time limit: for notifications
            return super().wait(gen, *args, **options)
        try:
            wanted = next(gen)
            self.complete(gen, wanted)
        except StopIteration as ended:
            return ended.value
        except (KeyboardInterrupt, SystemExit):  # as psycopg does, or the server would continue
            with suppress(psycopg.Error):
                self.cancel_safe(timeout=CONNECT_SECONDS)
            raise

    def complete(self, gen: PQGen[Any], wanted: int) -> NoReturn:
        """Wait until the socket is ready for `wanted`: 1 to read, 2 to write, as in the event loop.

        Raises StopIteration at the end.
        """
        hub = gevent.get_hub()
        # After these two the connection stays open. Otherwise code that cleans up would fail, as
        # SQLAlchemy's ping when it resets autocommit, and that error would be raised instead.
        closing = ClosedOnError(self, spared=(KeyboardInterrupt, SystemExit))
        while True:
            with closing, hub.loop.io(self.pgconn.socket, wanted) as watcher:
                hub.wait(watcher)
            if wanted == POLLIN:
                self.used_at = time.monotonic()
            wanted = gen.send(wanted)

    @property
    def is_fresh(self) -> bool:
        """Whether the connection needs no ping.

        The server has just answered, and has since neither closed the connection nor sent anything.
        """
        if time.monotonic() - self.used_at > FRESH_SECONDS:
            return False
        poller = poll()
        poller.register(self.pgconn.socket, POLLIN)  # the end and errors are reported as well
        return not poller.poll(0)
