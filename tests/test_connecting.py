"""Connections to upstreams that fail or time out."""

import os
import socket
import time
from contextlib import ExitStack
from dataclasses import replace

import gevent
import pytest
from gevent.server import StreamServer

from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound
from tests.upstream import Answer, ScriptedUpstream


@pytest.fixture
def unanswered():
    """A request to a port whose queue is full, so that connecting lasts until its timeout."""
    with ExitStack() as opened:
        listener = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield Outbound("test", "GET", f"http://127.0.0.1:{listener.getsockname()[1]}/", {})


def test_connecting_is_part_of_the_whole_timeout_and_leaves_no_socket(caller, unanswered):
    before = os.listdir("/proc/self/fd")
    began = time.monotonic()
    with pytest.raises(UpstreamError) as error:
        caller.fetch(replace(unanswered, whole=0.2), 100)
    assert error.value.reason == "timeout"
    assert time.monotonic() - began < 10  # its own limit
    assert set(os.listdir("/proc/self/fd")) <= set(before)


def test_a_killed_caller_leaves_no_socket(caller, unanswered):
    before = os.listdir("/proc/self/fd")
    calling = gevent.spawn(caller.fetch, unanswered, 100)
    gevent.sleep(0.1)
    assert len(os.listdir("/proc/self/fd")) == len(before) + 1
    calling.kill()
    assert set(os.listdir("/proc/self/fd")) <= set(before)


@pytest.mark.parametrize("guarded", [False, True])
def test_connecting_has_its_own_timeout(caller, unanswered, monkeypatch, guarded):
    monkeypatch.setattr("service.outbound.guarded.is_public", lambda _address: True)
    with pytest.raises(UpstreamError) as error:
        caller.fetch(replace(unanswered, connect=0.2, guarded=guarded), 100)
    assert error.value.reason == "unreachable", "nothing was sent"


def test_the_handshake_of_tls_has_its_own_timeout(caller):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        with pytest.raises(UpstreamError) as error:
            caller.fetch(Outbound("test", "POST", url, {}, b"{}", connect=0.2), 100)
    assert error.value.reason == "unreachable", "nothing was sent"


@pytest.mark.parametrize(("seconds", "reason"), [(0, "unanswered"), (60, "timeout")])
def test_a_server_that_has_the_request_and_does_not_answer(caller, seconds, reason):
    """It may have done what was asked."""
    server = StreamServer(
        ("127.0.0.1", 0), lambda sock, _: sock.recv(9999) and gevent.sleep(seconds)
    )
    server.start()
    url = f"http://127.0.0.1:{server.server_port}/"
    with pytest.raises(UpstreamError) as error:
        caller.fetch(Outbound("test", "GET", url, {}, idle=0.2), 100)
    server.stop(timeout=0)
    assert error.value.reason == reason


@pytest.fixture
def scripted():
    server = ScriptedUpstream()
    yield server
    server.stop()


def test_the_second_address_is_tried(caller, scripted, monkeypatch):
    port = int(scripted.url.rpartition(":")[2])
    addresses = [("127.0.0.2", port), ("127.0.0.1", port)]
    infos = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]
    monkeypatch.setattr("service.outbound.connecting.socket.getaddrinfo", lambda *_a, **_o: infos)
    scripted.answers = [Answer(b"{}")]
    assert caller.fetch(Outbound("test", "GET", "http://two.example/", {}), 100) == (200, b"{}")


def test_an_address_is_not_looked_up(caller, scripted, monkeypatch):
    monkeypatch.setattr("service.outbound.connecting.socket.getaddrinfo", None)
    scripted.answers = [Answer(b"{}")]
    assert caller.fetch(Outbound("test", "GET", scripted.url, {}), 100) == (200, b"{}")


HOSTS = ["127.0.0.1:1", "nowhere.invalid", "x" * 64 + ".example", "a..example"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that_does_not_exist_is_unreachable(caller, host):
    with pytest.raises(UpstreamError) as error:
        caller.fetch(Outbound("test", "GET", f"http://{host}/", {}), 100)
    assert error.value.reason in ("unreachable", "cut")


def test_reading_the_body_is_part_of_the_whole_timeout(caller, scripted):
    scripted.answers = [Answer(_drip())]
    with pytest.raises(UpstreamError) as error:
        caller.fetch(Outbound("test", "GET", scripted.url, {}, whole=0.3), 100)
    assert error.value.reason == "timeout"


def _drip():
    for _ in range(20):
        yield b"x"
        gevent.sleep(0.05)


def test_the_timeout_of_a_caller_is_passed_on(caller, unanswered):
    with pytest.raises(gevent.Timeout) as expired, gevent.Timeout(0.1) as outer:
        caller.fetch(replace(unanswered, whole=5), 100)
    assert expired.value is outer
