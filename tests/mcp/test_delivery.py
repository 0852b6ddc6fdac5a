"""How results arrive: JSON or events, and what a client that leaves does to its call."""

import json
import socket

import gevent
import pytest
from flask import Flask
from gevent.event import Event

from service.chat.tools.run import UNSURE
from service.fairness import let_others_run
from service.lifecycle import Lifecycle
from service.mcp import delivery
from service.mcp.delivery import RESTARTING, ResultDelivery, RunningCalls
from service.mcp.message import RpcMessage
from tests.mcp.era_clients import FORMS
from tests.services import on_sqlite, wait_for

RESULT = {"content": [], "isError": False}


class SlowCall:
    """A call that waits until the test ends it."""

    def __init__(self) -> None:
        self.go_on, self.state = Event(), "begun"

    def make(self):
        try:
            self.go_on.wait()
            self.state = "done"
        finally:
            self.state = "cancelled" if self.state == "begun" else self.state
        return RESULT


@pytest.fixture
def slow():
    return SlowCall()


@pytest.fixture
def web():
    app = Flask("test")
    with app.app_context():
        yield app


def message(is_modern: bool, **meta) -> RpcMessage:
    return RpcMessage(7, "tools/call", {"name": "x", "_meta": meta}, is_modern)


def events(response) -> list[dict]:
    """The messages of a whole stream, each in one event with one line."""
    blocks = b"".join(response.response).decode().strip().split("\n\n")
    lines = [block.split("\n") for block in blocks if not block.startswith(":")]
    assert {(len(one), one[0]) for one in lines} == {(2, "event: message")}
    return [json.loads(one[1].removeprefix("data: ")) for one in lines]


def test_a_long_call_becomes_a_stream_that_ends_with_the_response(web, slow, monkeypatch):
    monkeypatch.setattr(delivery, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(delivery, "PING_SECONDS", 0.01)
    response = ResultDelivery(message(True), True, None, RunningCalls()).carry(slow.make)
    assert response.mimetype == "text/event-stream"
    assert response.headers["X-Accel-Buffering"] == "no"
    stream = iter(response.response)
    assert [next(stream) for _ in range(3)] == [b": ping\n\n"] * 3
    slow.go_on.set()
    [answer] = events(response)
    assert (answer["id"], answer["result"]["isError"]) == (7, False)


def test_progress_is_told_to_those_who_ask_and_grows(web, slow, monkeypatch):
    monkeypatch.setattr(delivery, "PROGRESS_SECONDS", 0.01)
    response = ResultDelivery(
        message(False, progressToken="p-1"), True, None, RunningCalls()
    ).carry(slow.make)
    stream = iter(response.response)
    told = [json.loads(next(stream).split(b"data: ")[1]) for _ in range(3) if next(stream)]
    slow.go_on.set()
    assert {one["method"] for one in told} == {"notifications/progress"}
    assert {one["params"]["progressToken"] for one in told} == {"p-1"}
    amounts = [one["params"]["progress"] for one in told]
    assert amounts == sorted(set(amounts))


def test_a_client_that_takes_no_stream_waits_for_json(web, slow, monkeypatch):
    monkeypatch.setattr(delivery, "QUIET_SECONDS", 0.01)
    gevent.spawn_later(0.05, slow.go_on.set)
    response = ResultDelivery(message(False, progressToken=1), False, None, RunningCalls()).carry(
        slow.make
    )
    assert response.json["id"] == 7
    assert response.json["result"] == RESULT


def test_line_ends_of_unicode_do_not_split_an_event(web):
    text = "a\u2028b\u2029c\x85d"
    carried = ResultDelivery(message(False, progressToken=1), True, None, RunningCalls())
    response = carried.carry(lambda: gevent.sleep(0.01) or {"content": text})
    response.response = list(response.response)
    raw = b"".join(response.response).decode()
    assert len(raw.splitlines()) == len(raw.split("\n")) - 1
    [answer] = events(response)
    assert answer["result"]["content"] == text


def test_an_id_that_utf_8_cannot_encode_comes_back_in_a_stream(web):
    asked = RpcMessage("\ud800", "tools/call", {"_meta": {"progressToken": 1}}, is_modern=False)
    carried = ResultDelivery(asked, True, None, RunningCalls())
    [answer] = events(carried.carry(lambda: gevent.sleep(0.01) or RESULT))
    assert (answer["id"], answer["result"]) == ("\ud800", RESULT)


@pytest.mark.parametrize(("is_modern", "state"), [(True, "cancelled"), (False, "done")])
@pytest.mark.parametrize("streams", [True, False])
def test_a_client_that_leaves_cancels_its_call_in_the_modern_era_only(
    web, slow, monkeypatch, is_modern, state, streams
):
    monkeypatch.setattr(delivery, "QUIET_SECONDS", 0.01)
    ours, theirs = socket.socketpair()

    def carry():
        with web.app_context():
            ResultDelivery(message(is_modern), streams, ours, RunningCalls()).carry(slow.make)

    with ours, theirs:
        work = gevent.spawn(carry)
        gevent.sleep(0)
        theirs.close()
        for _ in range(5):  # the event loop sees the close, and would end the call
            let_others_run()
        if is_modern:
            wait_for(lambda: slow.state != "begun", 5)
        slow.go_on.set()
        wait_for(lambda: slow.state == state, 5)
        work.get(timeout=5)


@on_sqlite
def test_who_accepts_json_only_gets_json(handshake):
    params, json_only = {"name": "schema_list"}, {**FORMS, "Accept": "application/json"}
    meta = {"progressToken": "p"}
    answered = handshake.ask("tools/call", params, meta=meta, headers=json_only)
    assert answered.json["result"]["structuredContent"]["collections"]


@on_sqlite
def test_an_early_error_keeps_its_status(modern):
    refused = modern.ask("tools/call", {"name": "no_such"}, meta={"progressToken": "p"})
    assert (refused.status_code, refused.mimetype) == (400, "application/json")


@pytest.mark.parametrize("reads", [True, False])
def test_only_a_call_that_may_have_changed_something_says_so(web, slow, reads):
    calls, lifecycle = RunningCalls(), Lifecycle()
    calls.watch(lifecycle)
    lifecycle.drain(delivery.END_SECONDS)
    response = ResultDelivery(message(False), False, None, calls, reads).carry(slow.make)
    (content,) = response.get_json()["result"]["content"]
    assert content["text"] == (RESTARTING if reads else f"{RESTARTING} {UNSURE}")
