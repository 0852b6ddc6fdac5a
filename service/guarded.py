"""Connections for addresses that a caller has named: public ones only.

The name is looked up once and every address it has is checked; the connection is made to the one
that was checked, so that no second answer can lead elsewhere. Source: RFC 6890, RFC 6052, RFC 3056.
"""

import ipaddress
import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import NewConnectionError
from urllib3.util import connection as connecting

Address = IPv4Address | IPv6Address

NAT64 = ipaddress.ip_network("64:ff9b::/96")


class NotPublic(NewConnectionError):
    """The host has an address that is not on the public Internet."""


def is_public(address: Address) -> bool:
    """Whether an address, and each one it carries within itself, is on the public Internet."""
    return all(one.is_global and not one.is_multicast for one in (address, *_carried(address)))


def _carried(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that an IPv6 one stands for."""
    if isinstance(address, IPv4Address):
        return
    for carried in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())):
        if carried is not None:
            yield carried
    if address in NAT64:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _checked(connection: Any) -> str:
    """The address to connect to. Raises `NotPublic`, OSError."""
    found = socket.getaddrinfo(connection.host, connection.port, type=socket.SOCK_STREAM)
    addresses = [str(info[4][0]).partition("%")[0] for info in found]
    if not addresses or not all(is_public(ipaddress.ip_address(a)) for a in addresses):
        raise NotPublic(connection, "not a public address")
    return addresses[0]


class _Guarded(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        try:
            address = _checked(self)
            return connecting.create_connection((address, self.port), self.timeout)
        except OSError as error:
            raise NewConnectionError(self, type(error).__name__) from None


class _GuardedHTTPS(_Guarded, HTTPSConnection):
    """The certificate is still checked against the name."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Guarded


class _HTTPSPool(HTTPSConnectionPool):
    ConnectionCls = _GuardedHTTPS


class GuardedAdapter(HTTPAdapter):
    """For `requests`; it has a pool of its own."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _HTTPSPool}
