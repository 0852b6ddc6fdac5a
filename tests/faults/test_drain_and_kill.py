"""After SIGTERM running turns end; after SIGKILL no turn is stored in part."""

import re
import signal
import socket

import gevent
import pytest

from tests.faults.client import client_of
from tests.services import flask, wait_for


def test_after_sigterm_twenty_streams_finish_before_the_exit(start, model):
    patient = "tests.faults.patient_pool"
    service = start("postgresql", GRACEFUL_TIMEOUT=8, EXTENSIONS=patient)
    client = client_of(service)
    texts = [f"gate {n}" if n % 2 else f"words=900 rate=10 {n}" for n in range(20)]
    turns = {text: (chat, client.ask(chat, text, text))
             for text in texts for chat in [client.new_chat()]}  # fmt: skip
    for _, turn in turns.values():
        turn.read_until(b"text-delta", 2)
    service.process.send_signal(signal.SIGTERM)
    wait_for(lambda: '"event": "draining"' in service.log.read_text())
    gevent.sleep(1)  # of the five seconds before the longer turns are interrupted
    for text in texts:
        model.open(text)
    endings = {text: turn.chunks[-1]["type"] for text, (_, turn) in turns.items()}
    service.process.wait(timeout=60)  # the longer turns would take 90 s
    assert {endings[text] for text in texts if "gate" in text} == {"finish"}
    assert {endings[text] for text in texts if "words=900" in text} == {"abort"}
    service.start()
    assert all(len(client.rows(chat)) == 2 for chat, _ in turns.values())
    assert client.credits()["held"] == 0


def test_a_drain_stores_the_turn_of_a_stalled_reader(start, model):
    """A turn of 20 MB waits for a stalled reader; the sockets buffer some of them."""
    service = start(GRACEFUL_TIMEOUT=6)
    client = client_of(service)
    text = "words=5000 rate=100000 size=1000"
    stalled = client.ask(client.new_chat(), text, "u")
    stalled.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stalled.read_until(b"text-delta", 2)

    def stands_still() -> bool:
        before = model.said[text]
        gevent.sleep(0.5)
        return model.said[text] == before

    wait_for(stands_still, 60)
    service.process.send_signal(signal.SIGTERM)
    service.process.wait(timeout=60)
    service.start()
    answer = re.search(rb"X-Asst-Id: (\S+)", stalled.raw)[1].decode()
    stored = client.json("GET", f"/api/records/ai-messages/{answer}")["data"]
    assert stored["content"].startswith("0" * 1000)
    assert client.credits()["held"] == 0
    assert client.credits()["entries"][0]["facts"]["usage"]["estimated"] is True


def test_while_draining_new_turns_are_refused_on_open_connections(start, model):
    service = start(GRACEFUL_TIMEOUT=20)
    client = client_of(service)
    chat = client.new_chat()
    running = client.ask(chat, "words=3 gate", "u")
    running.read_until(b"text-delta", 2)
    kept = client.send("GET", "/healthz")  # its connection stays open
    assert kept.status == 200
    service.process.send_signal(signal.SIGTERM)
    wait_for(lambda: '"event": "draining"' in service.log.read_text())
    body = b'{"chatId":"%s","userMessageId":"v","content":"hi"}' % chat.encode()
    kept.raw = b""
    kept.sock.sendall(
        b"POST /api/ai/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
        + client.token.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )  # fmt: skip
    assert kept.status == 503
    kept.read_until(b'"draining"')
    model.open("words=3 gate")
    assert running.chunks[-1]["type"] == "finish"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_kill_at_ten_points_leaves_no_or_three_rows(start, model, kind):
    service = start(kind)
    client = client_of(service)
    chats = [client.new_chat() for _ in range(10)]
    for point, chat in enumerate(chats):
        text = f"words=8 rate=100 gate {point}"
        turn = client.ask(chat, text, f"u{point}")
        turn.read_until(b"text-delta", min(point, 8)) if point else turn.read_until(b"HTTP")
        if point == 9:
            model.open(text)  # the kill meets the rows, or comes just after them
        service.kill_worker(signal.SIGKILL)
        model.open(text)
        turn.sock.close()
    for chat in chats:
        assert len(client.rows(chat)) in (0, 2)
    wait_for(lambda: client.credits()["held"] == 0, 40)
    for point, chat in enumerate(chats):
        text = f"words=8 rate=100 gate {point}"
        assert client.ask(chat, text, f"u{point}").chunks[-1]["type"] == "finish"
        assert len(client.rows(chat)) == 2


def test_the_owner_pays_an_autonomous_call_and_the_caller_a_turn(start, model):
    service = start()
    client = client_of(service)
    client.ask(client.new_chat(), "words=4", "u").read_whole()
    provider = {"PROVIDER_A_BASE_URL": model.url, "PROVIDER_A_API_KEY": "key"}
    answered = flask(service.database_url, "ask", "words=3 please", **provider)
    assert answered.splitlines()[-1] == "0 1 2"
    statement = flask(service.database_url, "credits", "statement", "owner").splitlines()
    assert len(statement) == 3  # the headings, one charge, and the starting credits
    assert "llm-sonnet-4-6" in statement[1]
    assert client.credits()["entries"][0]["what"] == "llm-sonnet-4-6"
    assert len(client.credits()["entries"]) == 2
