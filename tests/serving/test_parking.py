"""A response that waits has no greenlet, and its connection is served as if it had one."""

import json
import re
import signal
import socket
from types import SimpleNamespace

import gevent
import pytest
from gunicorn.config import Config
from gunicorn.http.wsgi import FileWrapper

from service.auth.tokens import issue
from service.web.pauses import Pause
from serving.parking import ParkableBody, ParkingApp, Places
from serving.response import JoinedResponse
from serving.timed_requests import TimedParser
from tests.services import settings_for, wait_for

HEAD = re.compile(rb"HTTP/1.1 (\d+) .*?\r\n\r\n", re.S)
LONG = "count to 60"  # the sandbox says so many words, 25 a second or so


class Connection:
    """A connection that is kept alive."""

    def __init__(self, service) -> None:
        self.token = issue(settings_for(service.database_url), "alice", "user", 600)
        self.sock = socket.create_connection(("127.0.0.1", service.port), timeout=20)
        self.read = b""
        self.turns = 0

    def send(self, method: str, path: str, body: object = None) -> None:
        self.sock.sendall(self.request(method, path, body))

    def request(self, method: str, path: str, body: object = None) -> bytes:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\n"
        length = f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        return (head + length).encode() + data

    def until(self, end: bytes) -> bytes:
        """What has arrived up to there."""
        while end not in self.read:
            data = self.sock.recv(65_536)
            assert data, self.read
            self.read += data
        before, self.read = self.read.split(end, 1)
        return before + end

    def answer(self) -> tuple[int, bytes]:
        """The status of an answer with a length, and its body."""
        head = self.until(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        while len(self.read) < length:
            self.read += self.sock.recv(65_536)
        body, self.read = self.read[:length], self.read[length:]
        return int(HEAD.match(head)[1]), body

    def turn(self, content: str, then: bytes = b"") -> None:
        """Begin a turn in a new chat, and send more bytes with it."""
        self.send("POST", "/api/ai/chats", {})
        chat = json.loads(self.answer()[1])["chat"]["recordId"]
        self.turns += 1
        question = {"chatId": chat, "userMessageId": f"u-{self.turns}", "content": content}
        self.sock.sendall(self.request("POST", "/api/ai/chat", question) + then)


@pytest.fixture
def connection(service):
    made = Connection(service)
    yield made
    made.sock.close()


def logged(service, **facts):
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if "{" in line[:1]]
    return [line for line in lines if facts.items() <= line.items()]


def test_requests_follow_a_stream_on_its_connection(service, connection):
    for _ in range(3):
        connection.turn("count to 10")
        assert b'"type":"finish"' in connection.until(b"data: [DONE]\n\n\r\n0\r\n\r\n")
        connection.send("GET", "/api/credits")
        assert connection.answer()[0] == 200
    turns = logged(service, event="answered", route="/api/ai/chat")
    assert len(turns) == 3
    assert {"request_id", "user", "chat", "turn_id"} <= turns[0].keys()
    assert turns[0]["ms"] > 100  # which counts to the last byte


def test_a_request_that_comes_early_is_answered_behind_the_stream(connection):
    connection.turn(LONG, then=connection.request("GET", "/api/credits"))
    connection.until(b"text-delta")
    connection.send("GET", "/api/ai/models")
    rest = connection.until(b"0\r\n\r\n")
    assert b"HTTP/1.1" not in rest
    assert b'"type":"finish"' in rest
    assert b'"balance"' in connection.answer()[1]
    assert b'"models"' in connection.answer()[1]


def test_a_client_that_leaves_ends_its_turn(service, connection):
    connection.turn(LONG)
    connection.until(b"text-delta")
    connection.sock.close()
    wait_for(lambda: logged(service, event="aborted", reason="gone"))
    wait_for(lambda: logged(service, event="answered", route="/api/ai/chat"))
    assert not logged(service, level="error")


def test_a_worker_that_ends_waits_for_its_streams(service, connection):
    connection.turn(LONG)
    connection.until(b"text-delta")
    service.process.send_signal(signal.SIGTERM)
    assert b'"type":"finish"' in connection.until(b"0\r\n\r\n")
    assert connection.sock.recv(1) == b""
    service.process.wait(timeout=20)
    assert not logged(service, level="error")


def test_a_stream_that_is_lost_with_its_worker_is_logged(service, connection):
    connection.turn(LONG)
    connection.until(b"text-delta")
    service.kill_worker(signal.SIGKILL)
    lost = logged(service, event="request lost with its worker")
    assert [line["path"] for line in lost] == ["/api/ai/chat"]


def test_a_parked_response_takes_a_place_among_the_connections():
    places = Places(2)
    places.spawn(lambda: None).join()
    assert [places.hold_place() for _ in range(3)] == [True, True, False]
    assert places.free_count() == 0
    places.free_place()
    assert places.free_count() == 1
    assert places.hold_place()


def test_a_stream_that_fails_after_a_pause_ends_its_connection(monkeypatch):
    """Its client would take the next response for the rest of this one."""
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)
    monkeypatch.setattr(Places, "current", Places(1))
    ended, handled, resumes = [], [], []

    def body():
        yield b"one"
        yield Pause.until(resumes.append)
        raise RuntimeError

    ours, client = socket.socketpair()
    with client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        response = JoinedResponse(next(TimedParser(Config(), ours, "")), ours, Config())
        response.start_response("200 OK", [])
        cfg = SimpleNamespace(post_request=lambda *given: ended.append(given))
        worker = SimpleNamespace(
            alive=True, cfg=cfg, sockets=[None], handle=lambda *given: handled.append(given)
        )
        for part in ParkableBody(body(), response, worker):
            response.write(part)
        ours.close()  # as gunicorn does
        assert (len(ended), Places.current.hold_place()) == (0, False)
        resumes[0]()
        assert client.makefile("rb").read().endswith(b"\r\n\r\n3\r\none\r\n")
    assert (len(ended), handled, Places.current.hold_place()) == (1, [], True)


def test_the_server_keeps_no_headers_while_the_app_works():
    """The app has its own, and may wait for long."""
    kept = []

    def app(_environ, _start_response):
        kept.extend(request.headers)
        return []

    ours, client = socket.socketpair()
    with ours, client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        request = next(TimedParser(Config(), ours, ""))
        response = JoinedResponse(request, ours, Config())
        ParkingApp(app, None)({"wsgi.file_wrapper": FileWrapper}, response.start_response)
        assert (kept, response.should_close()) == ([("CONNECTION", "close")], True)
