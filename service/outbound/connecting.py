"""Connect to upstreams, and close the socket of every connection that is not made.

urllib3 closes a socket that failed to connect. It leaves a socket open if the greenlet is killed or
times out while it connects; such a socket would stay open until garbage collection.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gevent.monkey import get_original
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from service.cleanup import OnFailure

AddressInfo = tuple[Any, ...]  # an item of the list that `socket.getaddrinfo` returns

# gevent's version asks a thread for each address, though only names take time.
_read_address: Callable[..., list[AddressInfo]] = get_original("socket", "getaddrinfo")


class UpstreamConnection(HTTPConnection):
    """An HTTP connection that tries the addresses of its host in order."""

    def _new_conn(self) -> socket.socket:
        """Connect a new socket. Raises `ConnectTimeoutError`, `NewConnectionError`."""
        try:
            return self._connect_to_any(self._addresses())
        except TimeoutError:
            raise ConnectTimeoutError(self, "timed out") from None
        except (OSError, UnicodeError) as error:  # IDNA raises UnicodeError for an invalid name
            raise NewConnectionError(self, type(error).__name__) from None

    def _addresses(self) -> list[AddressInfo]:
        """Return at least one address of the host. Raises OSError, UnicodeError."""
        host = self._dns_host.strip("[]")
        with suppress(socket.gaierror):  # a name
            options = {"type": socket.SOCK_STREAM, "flags": socket.AI_NUMERICHOST}
            return _read_address(host, self.port, **options)
        host.encode("idna")  # fails here, because gevent's resolver thread would log the failure
        return self._look_up(host)

    def _look_up(self, name: str) -> list[AddressInfo]:
        """Ask the name servers, in one of gevent's threads for such work."""
        return socket.getaddrinfo(name, self.port, type=socket.SOCK_STREAM)

    def _connect_to_any(self, addresses: list[AddressInfo]) -> socket.socket:
        """Connect to the first address that answers. Raises the OSError of the last one."""
        for number, address in enumerate(addresses, 1):
            try:
                return self._connect_to(address)
            except OSError:
                if number == len(addresses):
                    raise
        raise OSError("the name has no address")

    def _connect_to(self, address: AddressInfo) -> socket.socket:
        family, kind, protocol, _, socket_address = address
        connection = socket.socket(family, kind, protocol)
        with OnFailure(connection.close):
            for option in self.socket_options or ():
                connection.setsockopt(*option)
            connection.settimeout(self.timeout)
            connection.connect(socket_address)
        return connection


class SecureUpstreamConnection(UpstreamConnection, HTTPSConnection):
    """An HTTPS connection. The server's certificate is checked against the host name."""
