"""Calls that wait for their users, on several workers and through the death of one."""

import re
import signal

import pytest

from tests import recorded
from tests.faults.conftest import client_of
from tests.services import wait_for
from tests.upstream import Answer

PICTURES = {"endpoint": "search-images", "body": {"query": "red kites"}}
ASKED, ENDPOINT = b'"state":"asked"', "search-images"
WAITING = 20  # the newest page of entries shows their charges


def model(seen):
    """Calls for pictures, then says `done`."""
    if "tool_result" in str(seen.json["messages"][-1]["content"]):
        return Answer(recorded.anthropic("done"))
    return Answer(recorded.anthropic_call("integrations__call", PICTURES))


@pytest.fixture
def serve(start, upstream):
    upstream.answers = [model]
    return lambda kind="sqlite", **more: start(kind, PROVIDER_A_BASE_URL=upstream.url, **more)


def begin(client, message):
    """A turn that waits, and the path of its decision."""
    chat = client.new_chat()
    turn = client.ask(chat, message, message)
    turn.read_until(ASKED)
    call_id = re.search(rb'"toolCallId":"(call_[^"]+)"', turn.raw)[1].decode()
    return chat, turn, f"/api/ai/chat/{chat}/approvals/{call_id}"


def charges(client):
    return [entry["what"] for entry in client.credits()["entries"]].count(ENDPOINT)


def test_each_of_many_calls_is_decided_once_by_whichever_worker(serve):
    client = client_of(serve("postgresql", WEB_CONCURRENCY=2, STARTING_CREDITS=100_000))
    turns = [begin(client, f"u{number}") for number in range(WAITING)]
    for _, _, path in turns:
        assert client.json("POST", path, {"decision": "once"})["state"] == "once"
    assert {client.send("POST", path, {"decision": "deny"}).status for *_, path in turns} <= {
        404, 409,
    }  # fmt: skip
    for _, turn, _ in turns:
        assert "tool-output-available" in {chunk["type"] for chunk in turn.chunks}
    assert charges(client) == WAITING


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nothing_is_called_for_a_killed_worker(serve, kind):
    service = serve(kind)
    client = client_of(service)
    chat, turn, path = begin(client, "u")
    service.kill_worker(signal.SIGKILL)
    turn.sock.close()
    wait_for(lambda: client.credits()["held"] == 0, 40)
    assert client.send("POST", path, {"decision": "once"}).status in (404, 409)
    assert (client.rows(chat), charges(client)) == ([], 0)
    again = client.ask(chat, "u", "u")
    again.read_until(ASKED)
