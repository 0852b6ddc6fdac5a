"""How a master hands its listening sockets over, and which ones the next takes."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from fcntl import F_DUPFD, fcntl
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import gevent
import pytest
from gevent.monkey import get_original
from gunicorn.arbiter import Arbiter

from config import ROOT
from serving import handover
from tests.services import free_port, wait_for

FREE = 500  # a descriptor from which on none is used


@pytest.fixture
def inherit(monkeypatch):
    """Make listening sockets the inherited ones. Returns the environment that says so."""
    with ExitStack() as stack:

        def inheriting(*addresses) -> dict[str, str]:
            descriptors = []
            for family, address in addresses:
                with socket.socket(family) as sock:
                    sock.bind(address)
                    descriptors.append(fcntl(sock.fileno(), F_DUPFD, FREE))
                stack.callback(close, descriptors[-1])
            monkeypatch.setattr(handover, "FIRST_INHERITED", descriptors[0])
            return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(addresses))}

        yield inheriting


def close(descriptor: int) -> None:
    if is_open(descriptor):
        get_original("os", "close")(descriptor)  # gevent's own closes it a moment later


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def loopback(port: int) -> tuple:
    return socket.AF_INET, ("127.0.0.1", port)


KEPT = {
    "127.0.0.1:{}": lambda port: [loopback(port)],
    "localhost:{}": lambda port: [loopback(port)],
    ":{}": lambda port: [(socket.AF_INET, ("", port))],
    "[::1]:{}": lambda port: [(socket.AF_INET6, ("::1", port))],
    "127.0.0.1:{}, 127.0.0.2:{}": lambda port: [
        loopback(port), (socket.AF_INET, ("127.0.0.2", port))
    ],
}  # fmt: skip


@pytest.mark.parametrize("listen", KEPT)
def test_sockets_at_the_addresses_of_the_setting_are_kept(inherit, monkeypatch, listen):
    monkeypatch.setattr(socket, "getaddrinfo", prefer_ipv6(socket.getaddrinfo))
    port = free_port()
    environ = inherit(*KEPT[listen](port))
    handover.check_inherited(environ, listen.format(port, port))
    assert set(environ) == {"LISTEN_PID", "LISTEN_FDS"}
    assert is_open(handover.FIRST_INHERITED)


def prefer_ipv6(original):
    """As on a machine whose `localhost` is first ::1, and then 127.0.0.1."""

    def look_up(host, port, family=0, *more, **options):
        is_free = host == "localhost" and family == socket.AF_UNSPEC
        return original("::1" if is_free else host, port, family, *more, **options)

    return look_up


def test_a_unix_socket_is_kept(inherit, tmp_path):
    environ = inherit((socket.AF_UNIX, str(tmp_path / "s")))
    handover.check_inherited(environ, f"unix:{tmp_path}/s")
    assert "LISTEN_FDS" in environ


def test_sockets_at_other_addresses_are_closed(inherit):
    port = free_port()
    environ = inherit(loopback(port))
    handover.check_inherited(environ, f"127.0.0.1:{port},127.0.0.1:{port + 1}")
    assert environ == {}
    wait_for(lambda: not is_open(handover.FIRST_INHERITED))


def test_sockets_that_another_process_was_given_are_left_alone(inherit):
    environ = inherit(loopback(free_port())) | {"LISTEN_PID": str(os.getppid())}
    handover.check_inherited(environ, "127.0.0.1:1")
    assert "LISTEN_FDS" in environ
    assert is_open(handover.FIRST_INHERITED)


@pytest.fixture
def listening(tmp_path):
    """The socket at which a reload listens."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / handover.SOCKET))
        sock.listen()
        yield sock


@pytest.fixture
def arbiter():
    """gunicorn's, with two listening sockets."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("", 0)) as two:
        yield SimpleNamespace(LISTENERS=[one, two], systemd=False)


def test_a_master_that_hands_over_leaves_what_is_no_more_its_own(listening, arbiter, monkeypatch):
    monkeypatch.setattr(handover, "_is_replaced", bytearray(1))
    assert handover.delay(30) == 0, "a plain stop drains at once"
    sent = handover.send_sockets(arbiter, Path(listening.getsockname()))
    connection, _ = listening.accept()
    with connection:
        _, descriptors, *_ = socket.recv_fds(connection, 1024, 16)
    received = [socket.socket(fileno=one) for one in descriptors]
    names = [one.getsockname() for one in received]
    for one in received:
        one.close()
    assert sent
    assert names == [one.getsockname() for one in arbiter.LISTENERS]
    assert arbiter.systemd, "gunicorn would unlink the file of a Unix socket"
    assert (handover.delay(30), handover.delay(4)) == (handover.DRAIN_DELAY, 2)


def test_without_a_reload_a_master_hands_nothing_over(arbiter, tmp_path, monkeypatch):
    monkeypatch.setattr(handover, "_is_replaced", bytearray(1))
    assert not handover.send_sockets(arbiter, tmp_path / "nobody")
    assert (arbiter.systemd, handover.delay(30)) == (False, 0)


def test_a_reload_that_ends_meanwhile_gets_nothing(listening, arbiter, monkeypatch):
    monkeypatch.setattr(handover, "_is_replaced", bytearray(1))
    monkeypatch.setattr(socket, "send_fds", Mock(side_effect=BrokenPipeError))
    assert not handover.send_sockets(arbiter, Path(listening.getsockname()))
    assert (arbiter.systemd, handover.delay(30)) == (False, 0)


@pytest.mark.parametrize("has_directory", [True, False])
def test_a_signal_that_comes_after_its_reload_starts_no_second_service(
    tmp_path, monkeypatch, has_directory
):
    for name in ("handle_usr2", "handle_hup"):
        monkeypatch.setattr(Arbiter, name, getattr(Arbiter, name))  # as it is afterwards
    handover.install({"RUNTIME_DIRECTORY": str(tmp_path)} if has_directory else {})
    arbiter = Mock(LISTENERS=[])
    Arbiter.handle_usr2(arbiter)
    assert (arbiter.reexec.called, arbiter.log.warning.called) == (not has_directory, has_directory)


def test_a_reload_that_fails_leaves_no_file_of_its_master(arbiter, tmp_path, monkeypatch):
    """The next master has said that it can hand over, and then its workers can't boot."""
    monkeypatch.setattr(handover, "_is_replaced", bytearray(1))
    mine = handover.marker(str(tmp_path), os.getpid())
    mine.touch()
    mark = f"import os; open('{tmp_path}/master-%d' % os.getpid(), 'w')"
    command = ["-m", "serving.reload", str(os.getpid()), sys.executable, "-c", mark]
    path = tmp_path / handover.SOCKET
    watcher = gevent.signal_handler(signal.SIGUSR2, handover.send_sockets, arbiter, path)
    try:
        environ = {**os.environ, "RUNTIME_DIRECTORY": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=environ, capture_output=True, text=True
        )
    finally:
        watcher.cancel()
    assert "the new service did not start" in done.stderr
    assert list(tmp_path.iterdir()) == [mine]
