"""The WebSocket on real connections, with another library's client and with invalid bytes."""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import gevent
import pytest
import requests
from websocket import ABNF, WebSocketBadStatusException, create_connection
from websocket import WebSocket as Client

from config import ROOT
from service.websockets import frames
from service.websockets.websocket import PING_SECONDS, STALL_SECONDS
from tests.services import free_port, wait_for
from tests.websocket_app import message
from tests.websocket_handshake import HANDSHAKE

# Seconds, of the impatient server: more than a busy machine stops a process for.
PING, STALL = 1.5, 2.0


class Server:
    """gunicorn with its gevent worker and the app of these tests."""

    def __init__(self, **values: object) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.directory = Path(tempfile.mkdtemp(prefix="websocket-run-"))
        self.log = self.directory / "log"
        command = [sys.executable, "-m", "gunicorn", "-k", "gevent", "--no-control-socket"]
        command += ["-b", f"127.0.0.1:{self.port}", "--pythonpath", str(ROOT)]
        environment = {**os.environ, **{name: str(value) for name, value in values.items()}}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "tests.websocket_app:make()"],
                cwd=self.directory,  # where gunicorn finds no gunicorn.conf.py
                env=environment,
                stdout=log,
                stderr=log,
            )
        wait_for(lambda: b"Booting worker" in self.log.read_bytes(), 20)
        self.begin()

    def begin(self) -> None:
        self.opened: list = []
        self.upgrades = self.errors = 0
        self.ended_before = len(self.get("/ended"))
        self.logged_before = self.log.stat().st_size

    def logged(self, event: str) -> int:
        """Count a log event since the test began. A line that is not JSON fails."""
        text = self.log.read_bytes()[self.logged_before :].decode()
        return sum(json.loads(line)["event"] == event for line in text.splitlines())

    def get(self, path: str) -> Any:
        # The first answer waits for the worker's imports.
        return requests.get(f"{self.url}{path}", timeout=60).json()

    def ended(self) -> list[list]:
        """Return who has noticed the end of a connection since the test began, with its code."""
        return self.get("/ended")[self.ended_before :]

    def client(self, query: str = "", **options) -> Client:
        """Connect a client of another library."""
        url = f"ws://127.0.0.1:{self.port}/socket?{query}"
        options = {"timeout": 30, "skip_utf8_validation": True, **options}  # validation is slow
        self.opened.append(create_connection(url, **options))
        self.upgrades += 1
        return self.opened[-1]

    def ask(self, buffer: int = 0, **changed: str | None) -> socket.socket:
        """Open a socket and send a handshake with some headers changed."""
        sock = socket.socket()
        self.opened.append(sock)
        if buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        sock.settimeout(30)
        sock.connect(("127.0.0.1", self.port))
        headers = HANDSHAKE | {name.replace("_", "-"): value for name, value in changed.items()}
        lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
        sock.sendall("\r\n".join(["GET /socket HTTP/1.1", *lines, "", ""]).encode("latin-1"))
        return sock

    def raw(self, buffer: int = 0) -> socket.socket:
        """Open a socket and do the handshake; `buffer` is the size of its receive buffer."""
        sock = self.ask(buffer)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += read(sock, 1)
        assert head.startswith(b"HTTP/1.1 101 ")
        self.upgrades += 1
        return sock

    def check(self) -> None:
        """Check that each connection has one line in the log, and that gunicorn logged nothing."""
        for connection in self.opened:
            # The library's `close` waits for an answer and may leave its socket open.
            connection.shutdown() if isinstance(connection, Client) else connection.close()
        wait_for(lambda: self.logged("answered") >= self.upgrades)
        assert self.logged("answered") == self.upgrades
        assert self.logged("session failed") == self.errors

    def stop(self) -> None:
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(timeout=10)
        shutil.rmtree(self.directory, ignore_errors=True)


@pytest.fixture(scope="module")
def running():
    servers = Server(), Server(PING_SECONDS=PING, STALL_SECONDS=STALL)
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture
def server(running):
    running[0].begin()
    yield running[0]
    running[0].check()


@pytest.fixture
def impatient(running):
    """A server with short timeouts of pings and writes."""
    running[1].begin()
    yield running[1]
    running[1].check()


def read(sock: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = sock.recv(min(size - len(data), 65536))
        assert piece, f"the end, after {bytes(data[-200:])}"
        data += piece
    return bytes(data)


def masked(opcode: int, payload: bytes, fin: bool = True) -> bytes:
    return ABNF(int(fin), 0, 0, 0, opcode, 1, payload).format()


def close_code(sock: socket.socket) -> int:
    """Read a close frame, after which the server sends nothing, and return its code."""
    opcode, size = read(sock, 2)
    assert opcode == 0x88
    payload = read(sock, size)
    assert sock.recv(1) == b""
    return struct.unpack("!H", payload[:2])[0]


def code_of(client: Client) -> int:
    opcode, payload = client.recv_data()
    assert opcode == ABNF.OPCODE_CLOSE
    return struct.unpack("!H", payload[:2])[0]


def test_the_chosen_subprotocol_is_answered(server):
    client = server.client("subprotocol=records", subprotocols=["other", "records"])
    assert client.getsubprotocol() == "records"
    assert "sec-websocket-extensions" not in client.getheaders()
    assert server.client().getsubprotocol() is None


@pytest.mark.parametrize(
    "changed",
    [
        dict.fromkeys(HANDSHAKE) | {"Host": "localhost"},
        {"Upgrade": None},
        {"Connection": "keep-alive"},
        {"Sec_WebSocket_Version": "8"},
        {"Sec_WebSocket_Key": None},
        {"Sec_WebSocket_Key": "c2hvcnQ="},
        {"Sec_WebSocket_Key": "\xe9" * 24},
        {"Sec_WebSocket_Protocol": "caf\xe9"},
    ],
    ids=lambda changed: ",".join(changed),
)
def test_a_bad_handshake_gets_an_ordinary_answer(server, changed):
    sock = server.ask(**changed)
    assert read(sock, 12) == b"HTTP/1.1 400"
    wait_for(lambda: sock.recv(4096).endswith(b"}\n"))
    sock.sendall(b"GET /ended HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"200 OK" in sock.recv(4096)


def test_a_subprotocol_that_was_not_offered_is_refused(server):
    with pytest.raises(WebSocketBadStatusException, match="400"):
        server.client("subprotocol=records", subprotocols=["other"])


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_messages_of_every_frame_length_are_echoed(server, size):
    client = server.client()
    client.send("x" * size)
    assert client.recv() == "x" * size
    client.send("ä€😀")
    assert client.recv() == "ä€😀"


def test_fragments_are_joined_wherever_they_are_cut(server):
    sock = server.raw()
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"\xe2\x82", fin=False))
    sock.sendall(masked(ABNF.OPCODE_PING, b"between"))
    sock.sendall(masked(ABNF.OPCODE_CONT, b"", fin=False) * 3)
    last = masked(ABNF.OPCODE_CONT, b"\xac!")
    for byte in last:
        sock.sendall(bytes([byte]))
    assert read(sock, 9) == b"\x8a\x07between"
    assert read(sock, 6) == b"\x81\x04\xe2\x82\xac!"


def test_several_messages_in_one_read_are_answered_in_order(server):
    sock = server.raw()
    sock.sendall(b"".join(masked(ABNF.OPCODE_TEXT, b"%05d" % n) for n in range(2000)))
    for number in range(2000):
        assert read(sock, 7) == b"\x81\x05%05d" % number


def test_a_ping_is_answered_and_a_pong_ignored(server):
    client = server.client()
    client.pong("unasked")
    client.ping("are you there")
    opcode, answer = client.recv_data_frame(control_frame=True)
    assert (opcode, answer.data) == (ABNF.OPCODE_PONG, b"are you there")


def test_a_peer_that_answers_pings_stays_connected(impatient):
    client = impatient.client()
    for _ in range(2):  # in the place of the second, one that does not answer gets the close frame
        assert client.recv_data(control_frame=True) == (ABNF.OPCODE_PING, b"")
    client.send("still here")
    assert client.recv() == "still here"


def test_a_silent_peer_is_pinged_and_then_closed(impatient):
    began = time.monotonic()
    sock = impatient.raw()
    assert read(sock, 2) == b"\x89\x00"
    assert time.monotonic() - began > 0.5 * PING  # the server waits from when it accepts
    assert close_code(sock) == 1011
    assert time.monotonic() - began > 1.5 * PING


@pytest.mark.parametrize("size", [65_537, 200_000, 5_000_000])
def test_a_message_over_the_limit_gets_1009(server, size):
    client = server.client()
    client.send("x" * size)
    assert code_of(client) == 1009


def test_the_limit_is_in_bytes_and_over_all_fragments(server):
    sock = server.raw()
    for number in range(5):
        first = ABNF.OPCODE_CONT if number else ABNF.OPCODE_TEXT
        sock.sendall(masked(first, "ä".encode() * 6600, fin=False))
    assert close_code(sock) == 1009


def test_a_peer_in_the_middle_of_a_big_frame_gets_the_close_frame(server):
    sock = server.raw()
    big = masked(ABNF.OPCODE_TEXT, b"x" * 5_000_000)
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"leave 4402") + big)
    assert close_code(sock) == 4402


def test_the_connection_of_a_peer_that_goes_on_sending_ends_after_a_second(server):
    sock, began = server.raw(), time.monotonic()
    sock.sendall(masked(ABNF.OPCODE_BINARY, b"bytes"))
    assert close_code(sock) == 1003
    with pytest.raises(ConnectionError):
        send_on(sock)
    assert time.monotonic() - began > 0.9


def send_on(sock):
    while True:
        sock.sendall(b"more")
        gevent.sleep(0.05)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (masked(ABNF.OPCODE_BINARY, b"bytes"), 1003),
        (masked(ABNF.OPCODE_TEXT, b"\xff\xfe"), 1007),
        (masked(ABNF.OPCODE_TEXT, b"\xed\xa0\x80", fin=False), 1007),
        (b"\x81\x05naked", 1002),
        (masked(ABNF.OPCODE_CONT, b"of what"), 1002),
        (masked(ABNF.OPCODE_TEXT, b"deflated").replace(b"\x81", b"\xc1", 1), 1002),
        (masked(ABNF.OPCODE_CLOSE, struct.pack("!H", 1005)), 1002),
        (masked(ABNF.OPCODE_CLOSE, struct.pack("!H", 4001)), 4001),
    ],
    ids=["binary", "utf8", "surrogate", "unmasked", "continuation", "rsv1", "1005", "its own"],
)
def test_invalid_frames_close_the_connection_with_their_code(server, sent, code):
    sock = server.raw()
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"before") + sent)
    assert read(sock, 8) == b"\x81\x06before"
    assert close_code(sock) == code
    sock.close()
    assert server.ended() == [["receiver", code]]


def test_a_close_is_answered_with_its_own_code_and_reason(server):
    """Also with the code of what is no UTF-8."""
    sock = server.raw()
    payload = struct.pack("!H", 1007) + b"mine"
    sock.sendall(masked(ABNF.OPCODE_CLOSE, payload))
    assert read(sock, 2 + len(payload)) == b"\x88\x06" + payload


def test_a_close_without_a_code_is_answered_without_one(server):
    sock = server.raw()
    sock.sendall(masked(ABNF.OPCODE_CLOSE, b""))
    assert read(sock, 2) == b"\x88\x00"
    assert sock.recv(1) == b""


def test_each_ending_of_a_session_has_its_code(server):
    for order, code in (
        ("close 4401", 4401),
        ("return", 1000),
        ("fail", 1011),
        ("leave 1012", 1012),
    ):
        client = server.client()
        client.send(order)
        assert code_of(client) == code
    server.errors = 1


def test_a_close_by_another_greenlet_wakes_the_receiver_at_once(server):
    sock = server.raw()
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"leave 4402"))
    assert read(sock, 4) == b"\x88\x02\x11\x32"
    assert server.ended() == [["receiver", 4402]]  # though the peer has not closed yet
    wait_for(lambda: server.logged("answered"))


def test_a_session_may_return_while_another_greenlet_receives(server):
    sock = server.raw()
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"elsewhere"))
    assert close_code(sock) == 1000
    sock.close()
    wait_for(lambda: server.logged("answered"))
    assert server.ended() == [["receiver", 1000]]


def test_a_writer_killed_within_a_frame_aborts_the_connection(server):
    sock = server.raw(buffer=8192)
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"kill") + masked(ABNF.OPCODE_TEXT, b"next"))
    with pytest.raises(ConnectionResetError):
        read(sock, 60_000_000)
    assert server.ended() == [["receiver", 1006]]


def test_big_messages_arrive_completely(server):
    client = server.client()
    client.send("send 20 1000000")
    for number in range(20):
        assert client.recv_data() == (ABNF.OPCODE_TEXT, message("", number, 1_000_000))


def test_a_slow_reader_gets_every_byte_in_order(server):
    sock = server.raw(buffer=8192)
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"send 20000 1000"))
    sent = b"".join(frames.frame(message("", number, 1000)) for number in range(20_000))
    for start in range(0, len(sent), 200_000):
        assert read(sock, len(sent[start : start + 200_000])) == sent[start : start + 200_000]
        gevent.sleep(0.01)


def test_a_batch_is_sent_as_separate_messages(server):
    client = server.client()
    client.send("batch 300")
    assert [client.recv() for _ in range(300)] == [str(number) for number in range(300)]


def test_messages_of_many_senders_do_not_mix(server):
    client = server.client(sockopt=[(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)])
    client.send("spawn 8 3 1000000")
    got = [client.recv_data()[1] for _ in range(8 * 3)]
    for writer in range(8):
        own = [text for text in got if text.startswith(b"%d-" % writer)]
        assert own == [message(f"{writer}-", number, 1_000_000) for number in range(3)]


@pytest.mark.parametrize(
    ("order", "writers"), [(b"send 100 1000000", 1), (b"spawn 3 100 1000000", 3)]
)
def test_a_reader_that_never_reads_is_disconnected_and_delays_nobody(impatient, order, writers):
    before = impatient.get("/greenlets")
    stuck, other = impatient.raw(), impatient.client()
    stuck.sendall(masked(ABNF.OPCODE_TEXT, order))
    echoes = 0
    while not impatient.logged("answered"):
        other.send("hello")
        assert other.recv() == "hello"
        echoes += 1
    assert echoes > 10  # a worker that waits for the other would answer one, or two
    assert sorted(impatient.ended()) == [["receiver", 1006]] + [["writer", 1006]] * writers
    other.shutdown()
    wait_for(lambda: impatient.get("/greenlets") <= before)
    with pytest.raises(ConnectionResetError):
        read(stuck, 100_000_000)


def test_a_close_does_not_wait_for_a_peer_that_never_reads(server):
    sock = server.raw(buffer=8192)
    orders = b"spawn 1 100 1000000", b"leave 4402"
    sock.sendall(b"".join(masked(ABNF.OPCODE_TEXT, order) for order in orders))
    wait_for(lambda: server.logged("answered"), STALL_SECONDS / 2)
    assert sorted(server.ended()) == [["receiver", 4402], ["writer", 4402]]


def test_a_slow_reader_is_not_disconnected(impatient):
    sock = impatient.raw(buffer=8192)
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"send 1 6000000"))
    for _ in range(60):
        read(sock, 100_000)
        gevent.sleep(1.5 * STALL / 60)
    assert impatient.ended() == []


@pytest.mark.parametrize("how", ["reset", "end"])
def test_the_connection_of_a_peer_that_vanishes_within_a_frame_ends(server, how):
    sock = server.raw()
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"x" * 1000)[:500])
    if how == "reset":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
    wait_for(lambda: server.ended() == [["receiver", 1006]], PING_SECONDS / 2)


def test_a_flood_of_pings_delays_nobody(server):
    flooding, other = server.raw(), server.client()
    flooding.sendall(masked(ABNF.OPCODE_PONG, b"") * 200_000 + masked(ABNF.OPCODE_TEXT, b"end"))
    through = gevent.spawn(read, flooding, 5)
    echoes = 0
    while not through.dead:
        other.send("hello")
        assert other.recv() == "hello"
        echoes += 1
    assert echoes > 5  # a flood that is read in one go lets one through, or two


def test_many_floods_delay_others_no_more_than_one(server):
    floods, other = [server.raw() for _ in range(20)], server.client()
    for flooding in floods:
        flooding.sendall(masked(ABNF.OPCODE_PONG, b"") * 10_000 + masked(ABNF.OPCODE_TEXT, b"end"))
    through = [gevent.spawn(read, flooding, 5) for flooding in floods]
    echoes = 0
    while not all(flood.dead for flood in through):
        other.send("hello")
        assert other.recv() == "hello"
        echoes += 1
    assert echoes > 50  # of each flood, 15 reads: with a read of each in a round, there are few


def test_after_the_upgrade_gunicorn_writes_nothing(server):
    sock = server.raw()
    sock.sendall(masked(ABNF.OPCODE_TEXT, b"fail"))
    rest = b""
    while piece := sock.recv(4096):
        rest += piece
    assert rest == b"\x88\x02\x03\xf3"
    server.errors = 1
