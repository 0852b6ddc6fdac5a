"""gunicorn's gevent worker, which boots the app, serves, and ends.

`timed_requests` limits the time in which a request arrives. The kernel limits the time for which a
client may accept nothing of a response.
"""

import errno
import socket
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import gevent
from gevent.monkey import get_original
from gunicorn.errors import AppImportError
from gunicorn.http.errors import ParseException
from gunicorn.workers.ggevent import GeventWorker
from werkzeug.exceptions import RequestTimeout

from config import ConfigError
from service.lifecycle import LIFECYCLE
from service.observing import stderr_lines
from serving import parking
from serving.own_stack import OwnStack
from serving.parent import end_with_parent
from serving.patches import NO_ROOM
from serving.refusals import linger, write_error

STAY_SECONDS = 0.1  # between checks for remaining work
PAUSE_SECONDS = 1.0  # before a worker is started in place of one that could not boot

_sleep = get_original("time", "sleep")  # gevent's version needs open files


class Worker(GeventWorker):
    """Boot the app, or report an invalid setting in one line.

    gunicorn prints the text of an `AppImportError`, and a traceback of any other exception.
    """

    wsgi: Any

    def init_process(self) -> None:
        """Start the worker. Its settings become plain attributes of the configuration.

        gunicorn looks up settings by name, twenty times for a request, though they no longer change
        in a worker. A worker that replaces another one ends if there is no room or a setting is no
        longer valid, and one more is started a second later. gunicorn itself would end with all
        other workers.
        """
        end_with_parent(self.ppid)
        self.cfg.__dict__.update({name: one.get() for name, one in self.cfg.settings.items()})
        try:
            super().init_process()
        except (OSError, AppImportError) as error:
            reason = _passing(error)
            if self.booted or reason is None or self.age <= self.cfg.workers:
                raise
            self.log.error("worker not started", extra={"facts": {"error": reason}})
            _sleep(PAUSE_SECONDS)
            sys.exit(1)

    def load_wsgi(self) -> None:
        stderr_lines.install()
        try:
            super().load_wsgi()
            self.wsgi.extensions.complete()
            self.wsgi = parking.ParkingApp(OwnStack(self.wsgi), self)
        except ConfigError as error:
            raise AppImportError(f"Error: {error}") from None

    def limit_unread(self, seconds: int) -> None:
        """Have the kernel close the connection of a client that accepts no bytes for `seconds`.

        Connections inherit this from their listener. Otherwise a client that has stopped reading
        would keep its response in memory for ever.
        """
        for listener in self.sockets:
            if listener.family != socket.AF_UNIX:
                limit = socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, seconds * 1000
                listener.setsockopt(*limit)

    def run(self) -> None:
        """Serve requests, and then wait for work that continues without a request.

        gunicorn returns as soon as no request is left. The master kills a worker that stays longer
        than the grace time.
        """
        super().run()
        lifecycle = LIFECYCLE.of(self.app.callable)
        while not lifecycle.is_done:
            self.notify()
            gevent.sleep(STAY_SECONDS)

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """Disable gunicorn's limit, which the limits of the parser replace."""
        return nullcontext()

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> None:
        try:
            super().handle_request(listener_name, req, sock, addr)
        except StopIteration:  # gunicorn closes the connection, or leaves a parked response
            parser = req.parser()
            if parser:
                parser.end()
            raise
        except OSError as error:
            if error.errno not in parking.CLIENT_LEFT:
                raise
            # Mostly caused by `limit_unread`. gunicorn would log an error.
            raise ConnectionResetError(errno.ECONNRESET, "nothing was taken") from None

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        if isinstance(exc, RequestTimeout):
            write_error(client, 408, "Request Timeout", "")
        else:
            super().handle_error(req, client, addr, exc)
        if isinstance(exc, (ParseException, RequestTimeout)):
            linger(client)


def _passing(error: BaseException | None) -> str | None:
    """Return the temporary cause of an error for which a later worker can't boot, or None.

    The operating system has no room, or a setting was valid and no longer is: OWNER_TOKEN has
    expired, or the host's clock was set back to before the token's beginning.
    """
    while error:
        if isinstance(error, ConfigError):
            return str(error)
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return error.strerror
        error = error.__cause__ or error.__context__
    return None
