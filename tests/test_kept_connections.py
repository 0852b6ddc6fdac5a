"""Connections to model providers are reused, although a body ends after its last event."""

import gc
import socket
import ssl
import subprocess

import certifi
import gevent
import pytest
from gevent.server import StreamServer

from config import load
from service.generation import model_call
from service.generation.deadline import Deadline
from service.generation.round_trip import RoundTrip
from service.outbound import stream as stream_module
from service.outbound.destination import Origin
from service.outbound.pool import MOST_IDLE, MOST_SERVERS, Pool
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound, Upstream
from service.providers.catalog import models
from service.providers.prompt import Prompt, UserMessage
from tests import model_streams
from tests.services import require, wait_for

STEPS = 5
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"
WHOLE = {"llm-sonnet-4-6": model_streams.anthropic("well"), "gen-5.4": model_streams.openai("well")}


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Provider:
    """Answers each request of a connection; `opened` and `left` count connections."""

    def __init__(self, end, certificate=None):
        self.end, self.opened, self.left = end, 0, 0
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if certificate else None
        if self._tls:
            self._tls.load_cert_chain(certificate, certificate.with_name("key.pem"))
        self._server = StreamServer(("127.0.0.1", 0), self._serve)
        self._server.start()
        self.url = f"{'https' if self._tls else 'http'}://localhost:{self._server.server_port}"

    def stop(self):
        self._server.stop(timeout=0)

    def _serve(self, sock, _address):
        self.opened += 1
        try:
            if self._tls:
                sock = self._tls.wrap_socket(sock, server_side=True)
            while request := _request(sock):
                model = "llm-sonnet-4-6" if b"/v1/messages" in request else "gen-5.4"
                sock.sendall(HEAD + chunk(WHOLE[model].encode()))
                self.end(sock)
        except OSError:
            pass
        finally:
            self.left += 1
            sock.close()


def _request(sock) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65_536)
        if not piece:
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    while len(body) < length:
        body += sock.recv(65_536)
    return head


def a_moment_later(sock):
    gevent.sleep(0.01)
    sock.sendall(LAST)


def never(sock):
    sock.recv(1)
    raise OSError


def without_end(sock):
    while True:
        sock.sendall(chunk(b": and more\n" * 100))
        gevent.sleep(0)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *names]
    result = subprocess.run(command, capture_output=True)
    require(result.returncode == 0, "OpenSSL's command (openssl)")
    return folder / "cert.pem"


@pytest.fixture
def provide(monkeypatch):
    providers = []

    def start(end, certificate=None):
        if certificate:
            monkeypatch.setattr("service.outbound.pool.CERTIFICATES", str(certificate))
        providers.append(Provider(end, certificate))
        return providers[-1]

    yield start
    for provider in providers:
        provider.stop()


def ask(caller, provider, model):
    base = {"llm-sonnet-4-6": ("A", ""), "gen-5.4": ("B", "/v1")}[model]
    name, path = f"PROVIDER_{base[0]}_", base[1]
    settings = {f"{name}BASE_URL": provider.url + path, f"{name}API_KEY": "k"}
    prompt = Prompt("Be brief.", (UserMessage("hello"),))
    trip = RoundTrip(models(load(settings))[model], prompt, "")
    return model_call.stream_events(caller, trip, Deadline())


class Closable:
    is_closed = False

    def close(self):
        self.is_closed = True


def test_a_worker_keeps_so_many_connections_and_no_more():
    pool, used = Pool(), {}
    for number in range(MOST_SERVERS + 1):
        origin = Origin("https", f"{number}.example", 443)
        used[origin] = [Closable() for _ in range(MOST_IDLE + 1)]
        for connection in used[origin]:
            pool.give_back(origin, connection)
    first, *others = ([one.is_closed for one in of_server] for of_server in used.values())
    assert all(first), "of the server that was asked longest ago"
    assert others == [[False] * MOST_IDLE + [True]] * MOST_SERVERS
    pool.close()
    pool.give_back(origin, late := Closable())
    assert all(one.is_closed for one in (*used[origin], late))


def test_a_connection_that_was_idle_for_long_is_closed_and_not_used(monkeypatch):
    monkeypatch.setattr("service.outbound.pool.IDLE_SECONDS", 0.2)
    pool, late = Pool(), Closable()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        origin = Origin("http", *listener.getsockname())
        first = pool.take(origin, 5)
        pool.give_back(origin, first)
        assert pool.take(origin, 5) is first
        pool.give_back(origin, first)
        pool.give_back(origin, late)
        gevent.sleep(0.3)
        second = pool.take(origin, 5)
        assert (second is first, late.is_closed, first.sock) == (False, True, None)
        pool.give_back(origin, late := Closable())
        gevent.sleep(0.3)
        pool.give_back(origin, second)
    assert (late.is_closed, second.sock is None) == (True, False), "also when another is kept"
    pool.close()


@pytest.mark.parametrize("model", WHOLE)
@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
def test_the_steps_of_a_turn_share_one_connection(caller, provide, certificate, model, secure):
    provider = provide(a_moment_later, certificate if secure else None)
    for _ in range(STEPS):
        assert list(ask(caller, provider, model))
        caller._drains.join()  # a tool takes longer; no time is long enough on a busy machine
    assert provider.opened == 1


def test_the_connections_of_an_app_that_nobody_closes_are_closed_with_it(provide):
    provider, caller = provide(a_moment_later), Upstream()
    assert list(ask(caller, provider, "gen-5.4"))
    caller._drains.join()
    assert provider.left == 0
    del caller
    gc.collect()
    wait_for(lambda: provider.left == 1)


def test_a_body_that_does_not_end_is_closed_after_the_time_limit(caller, provide, monkeypatch):
    monkeypatch.setattr(stream_module, "DRAIN_SECONDS", 0.2)
    provider = provide(never)
    list(ask(caller, provider, "gen-5.4"))
    assert provider.left == 0
    wait_for(lambda: provider.left == 1)


def test_a_body_that_goes_on_is_closed_after_the_byte_limit(caller, provide, monkeypatch):
    monkeypatch.setattr(stream_module, "DRAIN_SECONDS", 60)
    provider = provide(without_end)
    list(ask(caller, provider, "llm-sonnet-4-6"))
    wait_for(lambda: provider.left == 1)


def test_closing_the_events_early_closes_the_connection_at_once(caller, provide, monkeypatch):
    monkeypatch.setattr(stream_module, "DRAIN_SECONDS", 60)
    provider = provide(never)
    events = ask(caller, provider, "llm-sonnet-4-6")
    next(events)
    events.close()
    wait_for(lambda: provider.left == 1)


def test_a_stopping_worker_closes_connections_that_are_being_drained(caller, provide, monkeypatch):
    monkeypatch.setattr(stream_module, "DRAIN_SECONDS", 60)
    provider = provide(never)
    list(ask(caller, provider, "gen-5.4"))
    caller.close()
    wait_for(lambda: provider.left == 1)


def test_a_certificate_of_an_unknown_authority_is_refused(
    caller, provide, certificate, monkeypatch
):
    provider = provide(a_moment_later, certificate)
    monkeypatch.setattr("service.outbound.pool.CERTIFICATES", certifi.where())
    with pytest.raises(UpstreamError) as error:
        caller.fetch(Outbound("test", "GET", provider.url, {}), 100)
    assert error.value.reason == "unreachable"


def test_a_certificate_of_another_name_is_refused(caller, provide, certificate):
    provider = provide(a_moment_later, certificate)
    url = provider.url.replace("localhost", "127.0.0.1")
    with pytest.raises(UpstreamError) as error:
        caller.fetch(Outbound("test", "GET", url, {}), 100)
    assert error.value.reason == "unreachable"
