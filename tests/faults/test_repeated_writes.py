"""A worker dies between a tool's write and the turn's rows, and the message is sent again."""

import json
import signal

import pytest
from gevent.event import Event
from sqlalchemy import select, update

from service.chat.models import Claim, Lease
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from tests import model_streams
from tests.faults.client import client_of
from tests.faults.database_rows import app_of
from tests.services import wait_for
from tests.upstream import Answer

SAID = {"collection": "notes", "data": {"title": "milk"}}


class Writer:
    """A model that creates the same note in each step and waits before its last step."""

    def __init__(self, upstream, writes):
        self.upstream, self.writes, self.gate = upstream, writes, Event()
        upstream.answers = [self.answer]

    def answer(self, seen):
        results = sum(b"tool_result" in json.dumps(m).encode() for m in seen.json["messages"])
        if results < self.writes:
            # The same data with the keys in another order.
            data = dict(reversed(SAID.items())) if results else SAID
            return Answer(model_streams.anthropic_call("records__create", data))
        self.gate.wait(30)
        return Answer(model_streams.anthropic("done"))

    @property
    def prompts(self):
        return [seen.json["messages"] for seen in self.upstream.seen]


def notes(client):
    return client.json("GET", "/api/records/notes")["records"]


def die(service, client, chat, writer):
    """Kill a worker whose turn has made its writes and not stored its rows; end its lease."""
    client.ask(chat, "buy milk", "u").read_until(b"tool-output-available", writer.writes)
    with app_of(service.database_url):
        lease = db.session.scalars(select(Claim.lease_id)).one()
    service.kill_worker(signal.SIGKILL)
    with app_of(service.database_url), write_transaction() as session:
        ended = update(Lease).where(Lease.lease_id == lease).values(expires_at=from_now(-1))
        assert session.execute(ended).rowcount == 1
    writer.gate.set()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_write_of_a_killed_turn_is_not_repeated(start, upstream, kind):
    service = start(kind, PROVIDER_A_BASE_URL=upstream.url)
    client, writer = client_of(service), Writer(upstream, writes=1)
    chat = client.new_chat()
    die(service, client, chat, writer)
    [note] = notes(client)
    writer.writes, count = 2, len(writer.prompts)
    wait_for(lambda: client.ask(chat, "buy milk", "u").status == 200, 30)
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert f"- records.create: notes {note['recordId']} added" in str(writer.prompts[count][-1])
    results = [p["output"] for p in client.rows(chat)[1]["data"]["parts"] if "output" in p]
    assert results[0] == note  # what the dead one wrote, once; asked for again, it is written
    assert [n["recordId"] for n in notes(client)].count(note["recordId"]) == 1
    assert {n["recordId"] for n in notes(client)} == {result["recordId"] for result in results}
    assert len(notes(client)) == 2


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_after_a_stored_answer_the_writes_are_made_again(start, upstream, kind):
    service = start(kind, PROVIDER_A_BASE_URL=upstream.url)
    client, writer = client_of(service), Writer(upstream, writes=1)
    chat = client.new_chat()
    die(service, client, chat, writer)
    wait_for(lambda: client.ask(chat, "buy milk", "u").status == 200, 30)
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert len(notes(client)) == 1
    count = len(writer.prompts)
    again = client.ask(chat, "buy milk", "u", trigger="regenerate-message")
    assert again.chunks[-1]["type"] == "finish"
    assert "An earlier try" not in str(writer.prompts[count:])
    assert len(notes(client)) == 2
    assert len(client.json("GET", "/api/ai/journal")["entries"]) == 2
