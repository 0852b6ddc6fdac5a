"""The running gunicorn master's side of a reload.

`serving/reload.py` starts the next master with the listening socket of the running one, which
sends it at SIGUSR2. Both then accept connections from one queue in the kernel, so that none
is refused, until the old one is ended by SIGTERM and drains.

gunicorn's own signals do not suffice. At SIGHUP the master keeps its modules and its environment:
new code meets the old `config`. At SIGUSR2 the new master gets the environment of the old one and
is its child. systemd does not wait for a main process that is not its own child, so the next stop
would kill it without a drain.
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
from gunicorn.util import parse_address

SOCKET = "reload.sock"  # in RUNTIME_DIRECTORY; the reload listens there
READY_FD = "SERVICE_READY_FD"  # where the next master reports that its workers have booted
HANDOVER_SECONDS = 7.0  # a worker closes its listener within 1, idle connections within 5 more
FIRST_INHERITED = 3  # systemd's protocol for sockets that are passed on

# Whether another master replaces this one; shared with the workers, which are forked later.
_succeeded = mmap.mmap(-1, 1)


def install(environ: Mapping[str, str]) -> None:
    """Make gunicorn's master send its socket at SIGUSR2, and only log at SIGHUP."""
    directory = environ.get("RUNTIME_DIRECTORY")
    again = Arbiter.handle_usr2

    def hand_over(arbiter: Arbiter) -> None:
        if not (directory and give(arbiter, Path(directory) / SOCKET)):
            again(arbiter)

    def refuse(arbiter: Arbiter) -> None:
        arbiter.log.warning("SIGHUP is ignored: it would mix new code with old settings")

    Arbiter.handle_usr2 = hand_over
    Arbiter.handle_hup = refuse


def give(arbiter: Any, path: Path) -> bool:
    """Send our listening sockets to the reload that waits at `path`; False if there is none."""
    descriptors = [listener.fileno() for listener in arbiter.LISTENERS]
    with socket.socket(socket.AF_UNIX) as sock:
        try:
            sock.connect(str(path))
        except OSError:
            return False
        socket.send_fds(sock, [json.dumps({"sockets": len(descriptors)}).encode()], descriptors)
    arbiter.systemd = True  # a socket in the file system now belongs to the next master too
    _succeeded[0] = 1
    return True


def delay(grace: float) -> float:
    """Seconds between SIGTERM and the drain of a worker.

    After a handover new turns still come in on connections that are kept alive; each is answered
    and closed, so that the drain, which refuses turns, finds no connection to refuse one on.
    """
    return min(HANDOVER_SECONDS, grace / 2) if _succeeded[0] else 0.0


def check_inherited(environ: dict[str, str], listen: str) -> None:
    """Close sockets that were passed to us for another address than that of `bind`."""
    if environ.get("LISTEN_PID") != str(os.getpid()):
        return
    descriptors = range(FIRST_INHERITED, FIRST_INHERITED + int(environ["LISTEN_FDS"]))
    if {_name(descriptor) for descriptor in descriptors} != {_resolved(listen)}:
        for descriptor in descriptors:
            os.close(descriptor)
        del environ["LISTEN_PID"], environ["LISTEN_FDS"]


def _name(descriptor: int) -> Any:
    with socket.socket(fileno=os.dup(descriptor)) as sock:
        name = sock.getsockname()
    return name if isinstance(name, str) else name[:2]


def _resolved(listen: str) -> Any:
    address = parse_address(listen)
    if isinstance(address, str):
        return address
    host, port = address
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][:2]


class Report:
    """Reports to the reload that has started this master; without a reload it does nothing."""

    def __init__(self, environ: dict[str, str]) -> None:
        given = environ.pop(READY_FD, None)
        self._descriptor = int(given) if given else None

    def workers(self, count: int) -> None:
        self._write(f"{count}\n")

    def booted(self) -> None:
        """Report that one worker takes requests."""
        self._write("booted\n")
        self._close()

    def _write(self, line: str) -> None:
        if self._descriptor is not None:
            with suppress(OSError):  # that reload is over: this worker replaces one that had died
                os.write(self._descriptor, line.encode())

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
