"""A reload, on the side of the running gunicorn master.

`serving/reload.py` starts the next master with the listening socket of the running master, which
sends the socket at SIGUSR2. Both masters then accept connections from one queue of the kernel, so
that no connection is refused. Then the old master receives SIGTERM and drains.

gunicorn's own signals do not suffice. At SIGHUP the master keeps its modules and its environment,
so that new code runs with the old `config`. At SIGUSR2 the new master inherits the environment of
the old one and is its child. systemd does not wait for a main process that is not its own child, so
the next stop would kill it without a drain.
"""

import json
import mmap
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from gunicorn.arbiter import Arbiter
from gunicorn.util import is_ipv6, parse_address

from config_values import names

SOCKET = "reload.sock"  # in RUNTIME_DIRECTORY, where the reload listens
READY_FD = "SERVICE_READY_FD"  # where the next master reports that its workers have booted
DRAIN_DELAY = 7.0  # a worker closes its listener within 1, idle connections within 5 more
FIRST_INHERITED = 3  # the first descriptor in systemd's protocol for passing sockets

# Whether another master replaces this one. Workers, which are forked later, share this memory.
_is_replaced = mmap.mmap(-1, 1)


def marker(directory: str, master: int) -> Path:
    """Return the file in RUNTIME_DIRECTORY that says: process `master` sends its socket at SIGUSR2.

    The reload can't look at the master itself: with `PrivateUsers=` and `ProtectProc=` of the unit
    it sees no other process in /proc.
    """
    return Path(directory) / f"master-{master}"


def install(environ: Mapping[str, str]) -> None:
    """Make gunicorn's master send its socket at SIGUSR2 and only log at SIGHUP."""
    directory = environ.get("RUNTIME_DIRECTORY")
    original = Arbiter.handle_usr2
    if directory:
        marker(directory, os.getpid()).touch()

    def hand_over(arbiter: Arbiter) -> None:
        if not directory:
            original(arbiter)
        elif not send_sockets(arbiter, Path(directory) / SOCKET):
            # gunicorn's own way would start a second service beside this one.
            arbiter.log.warning("SIGUSR2 is ignored: the reload has ended")

    def refuse(arbiter: Arbiter) -> None:
        arbiter.log.warning("SIGHUP is ignored: it would mix new code with old settings")

    Arbiter.handle_usr2 = hand_over
    Arbiter.handle_hup = refuse


def send_sockets(arbiter: Any, path: Path) -> bool:
    """Send the listening sockets to the reload at `path`. Returns False if there is none any more.

    Nothing is raised then: gunicorn would end the service.
    """
    descriptors = [listener.fileno() for listener in arbiter.LISTENERS]
    with socket.socket(socket.AF_UNIX) as sock:
        try:
            sock.connect(str(path))
            socket.send_fds(sock, [json.dumps({"sockets": len(descriptors)}).encode()], descriptors)
        except OSError:
            return False
    arbiter.systemd = True  # so that gunicorn does not unlink a socket file of the next master
    _is_replaced[0] = 1
    return True


def delay(grace: float) -> float:
    """Return the seconds between SIGTERM and the drain of a worker.

    After a handover, new turns may still arrive on idle connections. The worker answers them and
    closes the connections, so that none is left on which the drain would refuse a turn.
    """
    return min(DRAIN_DELAY, grace / 2) if _is_replaced[0] else 0.0


def check_inherited(environ: dict[str, str], listen: str) -> None:
    """Close inherited sockets if their addresses are not those of `bind`."""
    if environ.get("LISTEN_PID") != str(os.getpid()):
        return
    descriptors = range(FIRST_INHERITED, FIRST_INHERITED + int(environ["LISTEN_FDS"]))
    if set(map(_address, descriptors)) != set(map(_resolve, names(listen))):
        for descriptor in descriptors:
            os.close(descriptor)
        del environ["LISTEN_PID"], environ["LISTEN_FDS"]


def _address(descriptor: int) -> Any:
    with socket.socket(fileno=os.dup(descriptor)) as sock:
        address = sock.getsockname()
    return address if isinstance(address, str) else address[:2]


def _resolve(listen: str) -> Any:
    """Return the address of the socket that gunicorn makes for one item of `bind`."""
    address = parse_address(listen)
    if not isinstance(address, tuple):
        return address
    host, port = address
    family = socket.AF_INET6 if is_ipv6(host) else socket.AF_INET
    kind, flags = socket.SOCK_STREAM, socket.AI_PASSIVE  # without a host: all addresses
    return socket.getaddrinfo(host or None, port, family, kind, flags=flags)[0][4][:2]


class Report:
    """Report to the reload that has started this master. Without a reload it does nothing."""

    def __init__(self, environ: dict[str, str]) -> None:
        number = environ.pop(READY_FD, None)
        self._descriptor = int(number) if number else None

    def workers(self, count: int) -> None:
        self._write(f"{count}\n")

    def booted(self) -> None:
        """Report that one worker takes requests."""
        self._write("booted\n")
        self._close()

    def _write(self, line: str) -> None:
        if self._descriptor is not None:
            with suppress(OSError):  # the reload has ended, and this worker replaces a dead one
                os.write(self._descriptor, line.encode())

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
