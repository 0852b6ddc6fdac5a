"""Replace the running gunicorn by a new one: new code, new settings, no connection refused.

    python -m serving.reload PID COMMAND…

PID is the running master, COMMAND starts gunicorn. The systemd unit calls it for `systemctl
reload`; systemd reads the settings' file anew for every process that it starts, so the new master
has the new settings. Each failure leaves the running master as it was, and ends with one line and
status 1.

    reload                   running master            new master
    SIGUSR2          →       listening socket  →
    start                                              boots, checks its settings
                     ←                                 each worker reports
    tell systemd MAINPID
    SIGTERM          →       drains, exits             serves
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from fcntl import F_DUPFD, fcntl
from pathlib import Path
from select import select

from serving.handover import FIRST_INHERITED, READY_FD, SOCKET

GIVE_SECONDS = 10.0  # for the running master to hand its socket over
BOOT_SECONDS = 60.0  # for the new one's workers; systemd waits 90
ROOM = 100  # descriptors from here on are in nobody's way


class ReloadFailed(Exception):
    """The reload has failed, and the running master goes on; the text says why."""


def main() -> None:
    running, command = int(sys.argv[1]), sys.argv[2:]
    try:
        reload(running, command)
    except ReloadFailed as error:
        sys.exit(f"Error: {error}; the running service goes on unchanged")


def reload(running: int, command: list[str]) -> None:
    """Replace the running master by one that `command` starts. Raises `ReloadFailed`."""
    reports, writing = os.pipe()
    sockets = take(running)
    started = start(command, sockets, writing)
    os.close(writing)
    with ExitStack() as given_up:
        given_up.callback(end, started)
        wait_until_booted(reports)
        given_up.pop_all()
    tell_systemd(started)
    end(running)


def take(running: int) -> list[int]:
    """Take the listening sockets of the running master."""
    directory = os.environ.get("RUNTIME_DIRECTORY")
    if not directory:
        raise ReloadFailed("RUNTIME_DIRECTORY is not set")
    check_gives(running, directory)
    path = Path(directory) / SOCKET
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(1)
        listening.settimeout(GIVE_SECONDS)
        try:
            os.kill(running, signal.SIGUSR2)
            giving, _ = listening.accept()
            with giving:
                giving.settimeout(GIVE_SECONDS)
                sockets = socket.recv_fds(giving, 1024, 16)[1]
        except OSError as error:
            raise ReloadFailed(f"process {running} did not give its socket ({error})") from None
        finally:
            path.unlink()
    for number in sockets:  # recv_fds does not pass MSG_CMSG_CLOEXEC on
        os.set_inheritable(number, False)
    return sockets


def check_gives(running: int, directory: str) -> None:
    """That the running master gives its socket away at SIGUSR2.

    One that an earlier release or unit has started would start a master of its own instead.
    """
    with suppress(OSError):
        if f"RUNTIME_DIRECTORY={directory}".encode() in _environment(running):
            return
    raise ReloadFailed(f"process {running} was not started by this unit: restart it once")


def _environment(pid: int) -> list[bytes]:
    return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")


def start(command: list[str], sockets: Sequence[int], reports: int) -> int:
    """Start the new master; returns its process id. Its parent ends, so systemd adopts it."""
    reading, writing = os.pipe()
    between = os.fork()
    if not between:
        started = os.fork()
        if not started:
            _become(command, sockets, reports)
        os.write(writing, str(started).encode())
        os._exit(0)
    os.waitpid(between, 0)
    with os.fdopen(reading) as answer:
        os.close(writing)
        return int(answer.read())


def _become(command: list[str], sockets: Sequence[int], reports: int) -> None:
    apart = [fcntl(number, F_DUPFD, ROOM) for number in (reports, *sockets)]
    for place, number in enumerate(apart[1:], FIRST_INHERITED):
        os.dup2(number, place)
        os.close(number)
    # systemd would log a complaint for each notification before it is the main process.
    environ = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
    environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(sockets))}
    environ[READY_FD] = str(apart[0])
    try:
        os.execvpe(command[0], command, environ)  # noqa: S606 - the unit's own command
    finally:
        os._exit(127)


def wait_until_booted(reports: int) -> None:
    """Wait for every worker's report. Raises `ReloadFailed` if the new master ends or is late."""
    lines = _lines(reports)
    for _ in range(int(next(lines))):
        next(lines)


def _lines(reports: int) -> Iterator[str]:
    deadline, buffer = time.monotonic() + BOOT_SECONDS, ""
    while True:
        if not select([reports], [], [], max(deadline - time.monotonic(), 0))[0]:
            raise ReloadFailed(f"the new service did not start within {BOOT_SECONDS:.0f} s")
        data = os.read(reports, 1024)
        if not data:
            raise ReloadFailed("the new service did not start")
        *whole, buffer = (buffer + data.decode()).split("\n")
        yield from whole


def tell_systemd(started: int) -> None:
    """Name the new main process, and wait until systemd has read it: the old one ends next."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    reading, writing = os.pipe()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.connect("\0" + address[1:] if address[0] == "@" else address)
        sock.sendall(f"MAINPID={started}".encode())
        socket.send_fds(sock, [b"BARRIER=1"], [writing])
    os.close(writing)
    select([reading], [], [], GIVE_SECONDS)  # systemd closes its end when it has read this far


def end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # systemd's patience is over
    main()
