"""Connections to upstreams: one that is given up on its way is closed at once.

urllib3 closes a socket whose connecting failed, but not one whose greenlet was killed or ran out of
its time meanwhile; that would stay open until it is collected.
"""

import socket
from contextlib import ExitStack
from typing import Any, ClassVar

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

AddressInfo = tuple[Any, ...]  # what `socket.getaddrinfo` lists


class Connection(HTTPConnection):
    """Tries the addresses of its host one after the other."""

    def _new_conn(self) -> socket.socket:
        """Raises `ConnectTimeoutError`, `NewConnectionError`."""
        try:
            return self._first_of(self._addresses())
        except TimeoutError:
            raise ConnectTimeoutError(self, "timed out") from None
        except (OSError, UnicodeError) as error:  # a name that IDNA refuses has a UnicodeError
            raise NewConnectionError(self, type(error).__name__) from None

    def _addresses(self) -> list[AddressInfo]:
        """At least one. Raises OSError, UnicodeError."""
        host = self._dns_host.strip("[]")  # type: ignore[attr-defined]
        host.encode("idna")  # gevent's thread that looks names up would log what is none
        return socket.getaddrinfo(host, self.port, type=socket.SOCK_STREAM)

    def _first_of(self, addresses: list[AddressInfo]) -> socket.socket:
        """The first that answers. Raises the OSError of the last."""
        for number, address in enumerate(addresses, 1):
            try:
                return self._connected(address)
            except OSError:
                if number == len(addresses):
                    raise
        raise OSError("the name has no address")

    def _connected(self, address: AddressInfo) -> socket.socket:
        family, kind, protocol, _, place = address
        with ExitStack() as unless_connected:
            made = unless_connected.enter_context(socket.socket(family, kind, protocol))
            for option in self.socket_options or ():
                made.setsockopt(*option)
            made.settimeout(self.timeout)
            made.connect(place)
            unless_connected.pop_all()
        return made


class SecureConnection(Connection, HTTPSConnection):
    """The certificate is checked against the name."""


class Adapter(HTTPAdapter):
    """For `requests`, over these kinds of connection; each has a pool of its own."""

    plain: ClassVar[type[Connection]] = Connection
    secure: ClassVar[type[SecureConnection]] = SecureConnection

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {
            "http": type("Pool", (HTTPConnectionPool,), {"ConnectionCls": self.plain}),
            "https": type("SecurePool", (HTTPSConnectionPool,), {"ConnectionCls": self.secure}),
        }
