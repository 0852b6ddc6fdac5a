"""Replace the running gunicorn by one with new code and settings, without refusing connections.

    python -m serving.reload PID COMMAND…

PID is the running master, and COMMAND starts gunicorn. The systemd unit runs this for `systemctl
reload`. systemd reads the file of settings again for each process that it starts, so the new master
has the new settings. A failure leaves the running master unchanged, prints one line, and exits with
status 1.

    reload                   running master            new master
    SIGUSR2          →       listening socket  →
    start                                              boots and checks its settings
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

from serving.handover import FIRST_INHERITED, READY_FD, SOCKET, marker

SOCKET_SECONDS = 10.0  # for the running master to send its socket
BOOT_SECONDS = 60.0  # for the workers of the new master; systemd waits 90
FREE_DESCRIPTOR = 100  # descriptors from this number on are unused


class ReloadFailed(Exception):
    """The reload has failed and the running master continues. The text gives the reason."""


def main() -> None:
    running, command = int(sys.argv[1]), sys.argv[2:]
    try:
        reload(running, command)
    except ReloadFailed as error:
        sys.exit(f"Error: {error}; the running service continues unchanged")


def reload(running: int, command: list[str]) -> None:
    """Replace the running master by one that `command` starts. Raises `ReloadFailed`."""
    reports, write_end = os.pipe()
    sockets = receive_sockets(running)
    new = start(command, sockets, write_end)
    os.close(write_end)
    with ExitStack() as on_failure:
        on_failure.callback(forget, new)
        on_failure.callback(end, new)
        wait_until_booted(reports)
        on_failure.pop_all()
    notify_systemd(new)
    end(running)
    forget(running)


def receive_sockets(running: int) -> list[int]:
    """Receive the listening sockets from the running master. Raises `ReloadFailed`."""
    directory = os.environ.get("RUNTIME_DIRECTORY")
    if not directory:
        raise ReloadFailed("RUNTIME_DIRECTORY is not set")
    check_handover(running, directory)
    path = Path(directory) / SOCKET
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        listener.settimeout(SOCKET_SECONDS)
        try:
            os.kill(running, signal.SIGUSR2)
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(SOCKET_SECONDS)
                sockets = socket.recv_fds(connection, 1024, 16)[1]
        except OSError as error:
            raise ReloadFailed(f"process {running} did not send its socket ({error})") from None
        finally:
            path.unlink()
    for number in sockets:  # recv_fds ignores MSG_CMSG_CLOEXEC
        os.set_inheritable(number, False)
    return sockets


def check_handover(running: int, directory: str) -> None:
    """Raise `ReloadFailed` unless the running master sends its socket at SIGUSR2.

    A master that was started by an earlier release or unit would start another master instead.
    """
    if not marker(directory, running).exists():
        raise ReloadFailed(f"process {running} was not started by this unit: restart it once")


def start(command: list[str], sockets: Sequence[int], reports: int) -> int:
    """Start the new master and return its process id. Its parent exits, so systemd adopts it."""
    read_end, write_end = os.pipe()
    parent = os.fork()
    if not parent:
        new = os.fork()
        if not new:
            _execute(command, sockets, reports)
        os.write(write_end, str(new).encode())
        os._exit(0)
    os.waitpid(parent, 0)
    with os.fdopen(read_end) as answer:
        os.close(write_end)
        return int(answer.read())


def _execute(command: list[str], sockets: Sequence[int], reports: int) -> None:
    """Replace this process by the new master, with its sockets at the descriptors from 3 on."""
    copies = [fcntl(number, F_DUPFD, FREE_DESCRIPTOR) for number in (reports, *sockets)]
    for target, number in enumerate(copies[1:], FIRST_INHERITED):
        os.dup2(number, target)
        os.close(number)
    # Without NOTIFY_SOCKET: systemd would log each notification of a process that is not main yet.
    environ = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
    environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(sockets))}
    environ[READY_FD] = str(copies[0])
    try:
        os.execvpe(command[0], command, environ)  # noqa: S606 - the unit's own command
    finally:
        os._exit(127)


def wait_until_booted(reports: int) -> None:
    """Wait for all workers' reports. Raises `ReloadFailed` if the new master ends or is late."""
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
        *lines, buffer = (buffer + data.decode()).split("\n")
        yield from lines


def notify_systemd(new: int) -> None:
    """Tell systemd the new main process, and wait until it has read the message."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    read_end, write_end = os.pipe()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.connect("\0" + address[1:] if address[0] == "@" else address)
        sock.sendall(f"MAINPID={new}".encode())
        socket.send_fds(sock, [b"BARRIER=1"], [write_end])
    os.close(write_end)
    select([read_end], [], [], SOCKET_SECONDS)  # until systemd closes its copy of `write_end`


def forget(master: int) -> None:
    """Delete the file that says that a master can hand over."""
    marker(os.environ["RUNTIME_DIRECTORY"], master).unlink(missing_ok=True)


def end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # systemd stops waiting
    main()
