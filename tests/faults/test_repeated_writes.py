"""A worker dies after a tool's write and before the turn's rows; the same message is sent again."""

import json
import signal

import pytest
from gevent.event import Event

from tests import recorded
from tests.faults.conftest import client_of
from tests.services import wait_for
from tests.upstream import Answer

SAID = {"collection": "notes", "data": {"title": "milk"}}


class Writer:
    """A model that creates the same note in every step, and waits at a gate before its last."""

    def __init__(self, upstream, writes):
        self.upstream, self.writes, self.gate = upstream, writes, Event()
        upstream.answers = [self.answer]

    def answer(self, seen):
        results = sum(b"tool_result" in json.dumps(m).encode() for m in seen.json["messages"])
        if results < self.writes:
            # Other words for the same: keys in another order.
            data = dict(reversed(SAID.items())) if results else SAID
            return Answer(recorded.anthropic_call("records__create", data))
        self.gate.wait(30)
        return Answer(recorded.anthropic("done"))

    @property
    def prompts(self):
        return [seen.json["messages"] for seen in self.upstream.seen]


def notes(client):
    return client.json("GET", "/api/records/notes")["records"]


def die(service, client, chat, writer):
    """A try that has written everything and has no rows yet."""
    client.ask(chat, "buy milk", "u").read_until(b"tool-output-available", writer.writes)
    service.kill_worker(signal.SIGKILL)
    writer.gate.set()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_write_of_a_try_that_died_is_not_repeated(start, upstream, kind):
    service = start(kind, PROVIDER_A_BASE_URL=upstream.url)
    client, writer = client_of(service), Writer(upstream, writes=1)
    chat = client.new_chat()
    die(service, client, chat, writer)
    [note] = notes(client)
    writer.writes, told = 2, len(writer.prompts)
    wait_for(lambda: client.ask(chat, "buy milk", "u").status == 200, 30)
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert f"- records.create: notes {note['recordId']} added" in str(writer.prompts[told][-1])
    results = [p["output"] for p in client.rows(chat)[1]["data"]["parts"] if "output" in p]
    assert results[0] == note  # what the dead one wrote, once; asked for again, it is written
    assert [n["recordId"] for n in notes(client)].count(note["recordId"]) == 1
    assert {n["recordId"] for n in notes(client)} == {result["recordId"] for result in results}
    assert len(notes(client)) == 2


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_answer_that_is_stored_closes_the_matter(start, upstream, kind):
    service = start(kind, PROVIDER_A_BASE_URL=upstream.url)
    client, writer = client_of(service), Writer(upstream, writes=1)
    chat = client.new_chat()
    die(service, client, chat, writer)
    wait_for(lambda: client.ask(chat, "buy milk", "u").status == 200, 30)
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert len(notes(client)) == 1
    told = len(writer.prompts)
    again = client.ask(chat, "buy milk", "u", trigger="regenerate-message")
    assert again.chunks[-1]["type"] == "finish"
    assert "An earlier try" not in str(writer.prompts[told:])
    assert len(notes(client)) == 2
    assert len(client.json("GET", "/api/ai/journal")["entries"]) == 2
