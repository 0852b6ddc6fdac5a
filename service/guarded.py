"""Connections for addresses that a caller has named: public ones only.

The name is looked up once and every address it has is checked; the connection is made to one that
was checked, so that no second answer can lead elsewhere. Source: RFC 6890, RFC 6052, RFC 3056.
"""

import ipaddress
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from urllib3.exceptions import NewConnectionError

from service.connecting import Adapter, AddressInfo, Connection, SecureConnection

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


class _Guarded(Connection):
    def _addresses(self) -> list[AddressInfo]:
        """Raises `NotPublic` as well."""
        found = super()._addresses()
        told = [str(info[4][0]).partition("%")[0] for info in found]
        if not all(is_public(ipaddress.ip_address(address)) for address in told):
            raise NotPublic(self, "not a public address")
        return found


class _GuardedSecure(_Guarded, SecureConnection):
    pass


class GuardedAdapter(Adapter):
    """For `requests`; connects to public addresses only."""

    plain = _Guarded
    secure = _GuardedSecure
