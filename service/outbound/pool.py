"""Connections to upstreams that stay open between requests."""

import time
import weakref
from collections import OrderedDict
from functools import cached_property
from ssl import SSLContext

import certifi
from urllib3.util.ssl_ import create_urllib3_context

from service.outbound.connecting import SecureUpstreamConnection, UpstreamConnection
from service.outbound.destination import Origin
from service.raw_sockets import peek, plain_socket

CERTIFICATES = certifi.where()  # of the trusted certificate authorities
MOST_SERVERS = 32
MOST_IDLE = 100  # connections to one server
# Firewalls silently forget a connection that is idle for some minutes: later bytes are lost, or the
# connection is reset. A request that can't be repeated would then fail.
IDLE_SECONDS = 60.0

# Since when each is idle, in monotonic time; the newest is last.
IdleConnections = list[tuple[float, UpstreamConnection]]
Idle = OrderedDict[Origin, IdleConnections]


class Pool:
    """The idle connections of this worker. Of a server's connections, the newest is taken first."""

    def __init__(
        self,
        plain: type[UpstreamConnection] = UpstreamConnection,
        secure: type[SecureUpstreamConnection] = SecureUpstreamConnection,
    ) -> None:
        self._plain, self._secure = plain, secure
        self._idle: Idle = OrderedDict()
        self._is_closed = False
        weakref.finalize(self, _close_idle, self._idle)  # for an app that is never closed

    def take(self, origin: Origin, seconds: float) -> UpstreamConnection:
        """Return an idle connection, or connect within `seconds`.

        Raises OSError and urllib3's HTTPError.
        """
        idle = self._idle.get(origin)
        while idle:
            since, connection = idle.pop()
            if time.monotonic() - since < IDLE_SECONDS and _is_usable(connection):
                return connection
            connection.close()
        connection = self._make(origin, seconds)
        connection.connect()
        return connection

    def give_back(self, origin: Origin, connection: UpstreamConnection) -> None:
        """Keep a connection whose last response has been read to its end."""
        idle, now = self._idle.setdefault(origin, []), time.monotonic()
        self._idle.move_to_end(origin)
        while idle and now - idle[0][0] >= IDLE_SECONDS:
            idle.pop(0)[1].close()
        if self._is_closed or len(idle) >= MOST_IDLE:
            connection.close()
        else:
            idle.append((now, connection))
        if len(self._idle) > MOST_SERVERS:
            _close_all(self._idle.popitem(last=False)[1])

    def close(self) -> None:
        """Close the idle connections now, and other connections when they are given back."""
        self._is_closed = True
        _close_idle(self._idle)

    def _make(self, origin: Origin, seconds: float) -> UpstreamConnection:
        if origin.scheme == "http":
            return self._plain(origin.host, origin.port, timeout=seconds)
        context = self._tls
        return self._secure(origin.host, origin.port, timeout=seconds, ssl_context=context)

    @cached_property
    def _tls(self) -> SSLContext:
        """The settings of all TLS connections. Loading the authorities takes milliseconds."""
        context = create_urllib3_context()
        context.load_verify_locations(CERTIFICATES)
        return context


def _close_idle(idle: Idle) -> None:
    while idle:
        _close_all(idle.popitem()[1])


def _close_all(connections: IdleConnections) -> None:
    while connections:
        connections.pop()[1].close()


def _is_usable(connection: UpstreamConnection) -> bool:
    """Return whether the server has neither closed an idle connection nor sent anything on it."""
    return peek(plain_socket(connection.sock)) is None
