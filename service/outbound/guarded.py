"""Connections to public addresses only, for URLs that a caller supplies.

The host name is resolved once and all its addresses are checked. The connection uses one of the
checked addresses, so a second DNS answer cannot redirect it (DNS rebinding).

A look-up can't be ended, and a caller's name server may let it wait for long. So these look-ups
have their own threads, apart from the threads in which providers are looked up and files are read.
One user gets only some of them.
Source: RFC 6890 and its registries at IANA, RFC 3056, RFC 4291, RFC 6052.
"""

import ipaddress
import socket
from collections.abc import Iterator
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from weakref import WeakValueDictionary

from gevent.lock import Semaphore
from gevent.resolver.thread import Resolver
from gevent.threadpool import ThreadPool
from urllib3.exceptions import NewConnectionError

from service.cleanup import OnFailure
from service.observing import attribution
from service.outbound.connecting import (
    AddressInfo,
    SecureUpstreamConnection,
    UpstreamConnection,
)

Address = IPv4Address | IPv6Address

LOOK_UPS = 6  # at the same time
LOOK_UPS_EACH = 2  # for one user
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# All of the public Internet over IPv6. Other addresses, such as `::ffff:0:0:0/96`, may be used in a
# private network, and `is_global` regards networks that it does not know as public.
GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
# Networks that are not public, though `is_global` of some supported versions of Python regards them
# as public. The first one contains, for example, a cloud's metadata at 192.0.0.192.
NEVER_PUBLIC = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "3fff::/20")))


class NotPublic(NewConnectionError):
    """The host has an address that is not on the public Internet."""


def is_public(address: Address) -> bool:
    """Return whether an address and the IPv4 addresses in it are on the public Internet."""
    addresses = (address, *_embedded_addresses(address))
    return all(one.is_global and not one.is_multicast and not _is_special(one) for one in addresses)


def _is_special(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address not in GLOBAL_UNICAST and address not in NAT64:
        return True
    return any(address in network for network in NEVER_PUBLIC)


def _embedded_addresses(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that are embedded in an IPv6 address."""
    if isinstance(address, IPv4Address):
        return
    for embedded in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())):
        if embedded is not None:
            yield embedded
    if address in NAT64:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


class GuardedConnection(UpstreamConnection):
    """An HTTP connection to public addresses only."""

    def _addresses(self) -> list[AddressInfo]:
        """Return the addresses of the host. Raises `NotPublic`, OSError, UnicodeError."""
        infos = super()._addresses()
        addresses = [str(info[4][0]).partition("%")[0] for info in infos]
        if not all(is_public(ipaddress.ip_address(address)) for address in addresses):
            raise NotPublic(self, "not a public address")
        return infos

    def _look_up(self, name: str) -> list[AddressInfo]:
        found: list[AddressInfo] = _resolver().getaddrinfo(name, self.port, type=socket.SOCK_STREAM)
        return found


class GuardedSecureConnection(GuardedConnection, SecureUpstreamConnection):
    """An HTTPS connection to public addresses only."""


class UsersThreads(ThreadPool):
    """Threads for work that can't be ended, of which one user has at most `LOOK_UPS_EACH`."""

    def __init__(self) -> None:
        super().__init__(LOOK_UPS)
        self._of_users: WeakValueDictionary[Any, Semaphore] = WeakValueDictionary()

    def apply(self, work: Any, args: Any = (), kwds: Any = None) -> Any:
        """Return the result of `work`. Its thread counts for its user until then, even if the
        caller no longer waits."""
        user = attribution.current_facts().get("user")
        free = self._of_users.setdefault(user, Semaphore(LOOK_UPS_EACH))
        free.acquire()
        with OnFailure(free.release):  # this greenlet may be killed while it waits for a thread
            running = self.spawn(work, *args, **(kwds or {}))
        running.rawlink(lambda _: free.release())
        return running.get()


@cache
def _resolver() -> Any:
    """Return this process's resolver for the names that callers supply."""
    resolver = Resolver()
    resolver.pool = UsersThreads()
    return resolver
