"""Connections to public addresses only, for URLs that a caller supplies.

The host name is resolved once and all its addresses are checked. The connection uses one of the
checked addresses, so a second DNS answer cannot redirect it (DNS rebinding).
Source: RFC 6890, RFC 6052, RFC 3056.
"""

import ipaddress
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from urllib3.exceptions import NewConnectionError

from service.outbound.connecting import (
    AddressInfo,
    SecureUpstreamConnection,
    UpstreamConnection,
)

Address = IPv4Address | IPv6Address

NAT64 = ipaddress.ip_network("64:ff9b::/96")


class NotPublic(NewConnectionError):
    """The host has an address that is not on the public Internet."""


def is_public(address: Address) -> bool:
    """Whether an address and all IPv4 addresses embedded in it are on the public Internet."""
    addresses = (address, *_embedded_addresses(address))
    return all(one.is_global and not one.is_multicast for one in addresses)


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


class GuardedSecureConnection(GuardedConnection, SecureUpstreamConnection):
    """An HTTPS connection to public addresses only."""
