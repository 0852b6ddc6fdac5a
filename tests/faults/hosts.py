"""Hosts: network namespaces with a cable each to that of the test, and a clock that can be set.

A cable that is pulled loses packets and tells neither side, as a host does that loses its power.
The clock is libfaketime's, which leaves the monotonic clock alone, as setting a real clock does.
"""

import ctypes
import ipaddress
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

import pytest

from tests.services import Service, require

TEST_HOSTS = ipaddress.IPv4Network("198.18.0.0/15")  # for tests of networks: RFC 2544
CLOCK = "/usr/lib/*/faketime/libfaketimeMT.so.1"
NOT_ALLOWED = ("Operation not permitted", "Permission denied", "Read-only file system")
CLONE_NEWNET = 0x40000000
PORT = 8000  # of each host's service

libc = ctypes.CDLL(None)


class Host:
    """A namespace with its own end of a cable. `outside` is the address of this machine's end."""

    def __init__(self, number: int, directory: Path) -> None:
        (self._library,) = glob(CLOCK)
        self.name = f"host{number}-{os.getpid()}"
        self._cable, self._hardware = f"cable{number}", f"02:00:00:00:00:{number:02x}"
        first = TEST_HOSTS[4 * number]
        self.outside, self.address = str(first + 1), str(first + 2)
        self._offset = directory / f"{self.name}.clock"
        self.set_clock(0)

    def add(self) -> None:
        ip("netns", "add", self.name)
        end = ("type", "veth", "peer", "name", "eth0", "address", self._hardware)
        ip("link", "add", self._cable, *end, "netns", self.name)
        ip("address", "add", f"{self.outside}/30", "dev", self._cable)
        ip("link", "set", self._cable, "up")
        # The kernel must not look for it: a search while the cable is out fails, and refuses also
        # the connections that are made a moment after the cable is in again.
        here = ("dev", self._cable, "lladdr", self._hardware, "nud", "permanent")
        ip("neighbour", "add", self.address, *here)
        ip("-n", self.name, "link", "set", "lo", "up")
        ip("-n", self.name, "address", "add", f"{self.address}/30", "dev", "eth0")
        self.connect()

    def remove(self) -> None:
        subprocess.run(["ip", "netns", "delete", self.name], capture_output=True)

    def set_clock(self, seconds: int) -> None:
        """Set it that far before this machine's, or behind it if negative."""
        new = self._offset.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.replace(self._offset)

    def disconnect(self) -> None:
        """Pull the cable: what is sent gets lost."""
        ip("-n", self.name, "link", "set", "eth0", "down")

    def connect(self) -> None:
        ip("-n", self.name, "link", "set", "eth0", "up")
        ip("-n", self.name, "route", "replace", "default", "via", self.outside)

    @property
    def inside(self) -> list[str]:
        """The beginning of a command that runs on this host."""
        clock = {
            "LD_PRELOAD": self._library,
            "FAKETIME_TIMESTAMP_FILE": str(self._offset),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DISABLE_SHM": "1",
            "NO_FAKE_STAT": "1",
        }
        settings = [f"{name}={value}" for name, value in clock.items()]
        return ["ip", "netns", "exec", self.name, "env", *settings]


class HostedService(Service):
    """The service on a host."""

    def __init__(self, host: Host, database_url: str, **values: Any) -> None:
        bind = f"{host.address}:{PORT}"
        super().__init__(database_url, SANDBOX_ANYWHERE=1, BIND=bind, **values)
        self.host, self.port = host.address, PORT
        self._on = host

    def start(self) -> "HostedService":
        self.execute(*self._on.inside)
        return self


@contextmanager
def connected_hosts(count: int, directory: Path) -> Iterator[list[Host]]:
    """So many hosts, each with a cable to the network that the test has in this context."""
    require(shutil.which("ip"), "iproute2")
    require(glob(CLOCK), "libfaketime")
    hosts = [Host(number, directory) for number in range(count)]
    with own_network():
        try:
            for host in hosts:
                host.add()
            yield hosts
        finally:
            for host in hosts:
                host.remove()


@contextmanager
def own_network() -> Iterator[None]:
    """Give this thread a network of its own, and what it starts. Chromium would notice each change
    of the network that it is in, and fail its requests."""
    with open("/proc/thread-self/ns/net") as before:
        if libc.unshare(CLONE_NEWNET) != 0:
            pytest.skip("network namespaces can't be created here")
        try:
            ip("link", "set", "lo", "up")
            yield
        finally:
            assert libc.setns(before.fileno(), CLONE_NEWNET) == 0


def ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if any(why in done.stderr for why in NOT_ALLOWED):
        pytest.skip(f"network namespaces can't be created here: {done.stderr.strip()}")
    assert done.returncode == 0, (arguments, done.stderr)
