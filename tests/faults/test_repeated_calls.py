"""A worker dies while its turn calls an endpoint or after it, and the message is sent again."""

import re
import signal

import pytest
from gevent.event import Event
from sqlalchemy import update

from service.assistant.repeated_calls import NOT_AGAIN
from service.chat.external_calls import CALLED, LEFT
from service.chat.models import Lease
from service.chat.tools.run import UNSURE
from service.database.access import write_transaction
from service.database.clock import from_now
from tests.assistant.endpoint_calls import DONE
from tests.assistant.team_chat import POST, SEND, TeamChat
from tests.faults.client import client_of
from tests.faults.database_proxy import DatabaseProxy
from tests.faults.database_rows import app_of
from tests.faults.key_statements import KEEPS
from tests.services import wait_for

DONE_WITH = {"under way": LEFT, "made": CALLED}


@pytest.fixture
def team():
    vendor = TeamChat()
    yield vendor
    vendor.stop()


@pytest.fixture
def gate():
    """Opens once the model may go on after a call."""
    return Event()


@pytest.fixture
def begin(start, upstream, team, gate):
    """A service, and a turn in it whose call was allowed for the chat."""

    def model(seen):
        if "tool_result" not in str(seen.json["messages"][-1]["content"]):
            return POST
        gate.wait(20)
        return DONE

    def beginning(kind, url=None):
        upstream.answers = [model]
        service = start(kind, url, PROVIDER_A_BASE_URL=upstream.url, **team.settings)
        client = client_of(service)
        chat = client.new_chat()
        turn = client.ask(chat, "tell them", "u")
        turn.read_until(b'"state":"asked"')
        call_id = re.search(rb'"toolCallId":"(call_[^"]+)"', turn.raw)[1].decode()
        path = f"/api/ai/chat/{chat}/approvals/{call_id}"
        assert client.send("POST", path, {"decision": "chat"}).status == 200
        return service, client, chat, turn

    return beginning


def die(service):
    """Kill the worker, and let its lease lapse; that of a key lapses by itself."""
    service.kill_worker(signal.SIGKILL)
    with app_of(service.database_url), write_transaction() as session:
        session.execute(update(Lease).values(expires_at=from_now(-1)))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("when", DONE_WITH)
def test_a_call_of_a_killed_turn_is_not_made_again(begin, team, gate, upstream, kind, when):
    if when == "under way":
        team.gate.clear()
    service, client, chat, turn = begin(kind)
    if when == "made":
        turn.read_until(b"tool-output-available")
    wait_for(lambda: team.seen)
    die(service)
    gate.set()
    wait_for(lambda: client.ask(chat, "tell them", "u").status == 200, 30)
    wait_for(lambda: len(client.rows(chat)) == 2)
    [part] = [p for p in client.rows(chat)[1]["data"]["parts"] if p["type"].startswith("tool-")]
    given = {"under way": NOT_AGAIN[LEFT], "made": {"channel": "C1", "ts": "1.2", "text": None}}
    assert part.get("errorText", part.get("output")) == given[when]
    assert len(team.seen) == 1
    entries = client.json("GET", "/api/ai/journal")["entries"]
    assert [(e["recordId"], e["outcome"]) for e in entries] == [(SEND, DONE_WITH[when])]


@pytest.fixture
def proxy(databases, start):
    """In front of a PostgreSQL, whose `url` leads through it."""
    made = DatabaseProxy(databases.cluster.directory)
    made.url = databases.make("postgresql").replace(databases.cluster.directory, made.directory)
    yield made
    made.stop()


def test_a_model_is_told_that_a_call_may_have_happened(begin, proxy, team, gate):
    """The call was made, and nothing of that could be stored: the model may want to try again."""
    proxy.marker, proxy.after = KEEPS, "cut-before-commit"
    team.gate.clear()
    _, _, _, turn = begin("postgresql", proxy.url)
    wait_for(lambda: team.seen)
    proxy.set("cut-before-commit")
    team.gate.set()
    turn.read_until(b"tool-output-error")
    proxy.set("pass")
    gate.set()
    turn.read_until(b"[DONE]")
    assert UNSURE.encode() in turn.raw
    assert (proxy.cuts, len(team.seen)) == (2, 1)
