"""Calls that wait for their users, on several workers and through the death of one."""

import re
import signal

import pytest
from sqlalchemy import func, select, text

from service.billing.models import Entry
from service.extensions import db
from tests import model_streams
from tests.depth import depth
from tests.faults.client import client_of
from tests.faults.database_rows import app_of
from tests.faults.processes import anonymous_memory
from tests.services import wait_for
from tests.upstream import Answer

PICTURES = {"endpoint": "search-images", "body": {"query": "red kites"}}
ASKED, ENDPOINT = b'"state":"asked"', "search-images"
WAITING = 20
CONNECTIONS = """SELECT count(xact_start), count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()"""


def model(seen):
    """Calls for pictures, then says `done`."""
    if "tool_result" in str(seen.json["messages"][-1]["content"]):
        return Answer(model_streams.anthropic("done"))
    return Answer(model_streams.anthropic_call("integrations__call", PICTURES))


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


def charges(service):
    """How many calls were charged."""
    with app_of(service.database_url):
        paid = select(func.count()).where(Entry.what == ENDPOINT, Entry.amount < 0)
        return db.session.scalar(paid)


def connections(service):
    """The connections to PostgreSQL with a transaction, and all of them."""
    with app_of(service.database_url):
        return tuple(db.session.execute(text(CONNECTIONS)).one())


def memory(service):
    """What its workers have for themselves, in MB."""
    return sum(anonymous_memory(worker) for worker in service.workers)


def decide_twice(client, path):
    """The same decision, sent twice at the same time."""
    both = [client.send("POST", path, {"decision": "once"}) for _ in range(2)]
    return sorted(one.status for one in both)


@pytest.mark.parametrize(("kind", "count"), [("sqlite", 1), ("postgresql", 2)])
def test_each_of_many_calls_is_decided_once_by_whichever_worker(serve, kind, count):
    service = serve(kind, WEB_CONCURRENCY=count, STARTING_CREDITS=100_000, APPROVAL_SECONDS=600)
    client, waiting = client_of(service), depth(WAITING)
    before = memory(service)
    turns = [begin(client, f"u{number}") for number in range(waiting)]
    assert memory(service) - before < 10 * count + waiting / 4  # MB
    if kind == "postgresql":
        # At any moment, a transaction of the background may be open, and more on a busy machine.
        wait_for(lambda: connections(service)[0] <= 1)
        assert connections(service)[1] < waiting
    assert {tuple(decide_twice(client, path)) for *_, path in turns} == {(200, 409)}
    ended = [chunk for _, turn, _ in turns for chunk in turn.chunks if "output" in chunk["type"]]
    assert [chunk for chunk in ended if chunk["type"] != "tool-output-available"] == []
    assert charges(service) == waiting


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nothing_is_called_for_a_killed_worker(serve, kind):
    service = serve(kind)
    client = client_of(service)
    chat, turn, path = begin(client, "u")
    service.kill_worker(signal.SIGKILL)
    turn.sock.close()
    wait_for(lambda: client.credits()["held"] == 0, 40)
    assert client.send("POST", path, {"decision": "once"}).status in (404, 409)
    assert (client.rows(chat), charges(service)) == ([], 0)
    again = client.ask(chat, "u", "u")
    again.read_until(ASKED)
