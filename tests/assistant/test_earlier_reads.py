"""A read that an earlier try has paid for is not paid for again by the next one."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import delete, event, update

from service.assistant.repeated_calls import READS_SECONDS
from service.chat.models import JournalEntry
from service.extensions import db
from service.integrations.models import IdempotencyKey
from service.times import now
from tests.app_database import execute_write
from tests.assistant.endpoint_calls import DONE, allow, call, cards
from tests.assistant.team_chat import JSON
from tests.people import text_of
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer, ScriptedUpstream

CUT = Answer("data: {}\n\n")
PICTURES = "search-images"
SEARCH = call(PICTURES, query="red kites")
FOUND = {"type": "images", "results": []}
pytestmark = pytest.mark.settings(approval_seconds=10)


@pytest.fixture(autouse=True)
def vendor(app):
    """The vendor of pictures, which cost credits."""
    pictures = ScriptedUpstream()
    pictures.answers = [Answer(json.dumps(FOUND), headers=JSON)]
    settings = {"BRAVE_SEARCH_BASE_URL": pictures.url, "BRAVE_SEARCH_API_KEY": "key"}
    app.extensions["vendor_settings"] |= settings
    yield pictures
    pictures.stop()


@pytest.fixture
def a_try(alice, begin, chat, served_by):
    """A try that makes these calls, of which the user allows so many; returns their results."""

    def trying(end, *answers, asks=0):
        served_by.answers = [*answers, end]
        served_by.seen.clear()
        turn = begin(alice, chat, userMessageId="u")
        for number in range(asks):
            wait_for(lambda n=number: len(cards(turn.chunks)) == 2 * n + 1)
            allow(alice, chat, cards(turn.chunks)[-1])
        chunks = turn.end()
        assert (chunks[-1]["type"], len(cards(chunks))) == (
            "finish" if end is DONE else "error",
            2 * asks,
        )
        assert end is CUT or text_of(chunks) == "done"
        return [one["output"] for one in chunks if one["type"] == "tool-output-available"]

    return trying


def charges(alice):
    entries = alice.get("/api/credits").json["entries"]
    return [one["amount"] for one in entries if one["what"] == PICTURES]


@on_sqlite
def test_the_answer_of_an_earlier_try_is_given_again_without_asking_the_user(
    alice, a_try, vendor, served_by
):
    first = a_try(CUT, SEARCH, asks=1)
    assert a_try(DONE, SEARCH) == first
    assert (len(vendor.seen), charges(alice)) == (1, [-0.25])
    assert len(alice.records("integration-calls")) == 1
    assert "An earlier try" not in str(served_by.seen[0].json)


def test_a_paid_search_by_post_is_nothing_to_take_back(alice, a_try):
    search = call("neuralsearch-search", query="red kites")
    first = a_try(CUT, search, asks=1)
    assert a_try(DONE, search) == first
    turn = alice.records("ai-turns")[-1]["recordId"]
    undone = alice.post(f"/api/ai/turns/{turn}/undo").json
    assert undone == {"undone": [], "conflicts": []}


def test_the_entry_of_a_read_is_written_without_reading_all_entries_of_the_user(app, a_try):
    statements = []
    with app.app_context():
        engine = db.engine
    note = lambda *arguments: statements.append(arguments[2])  # noqa: E731
    event.listen(engine, "before_cursor_execute", note)
    a_try(DONE, SEARCH, asks=1)
    event.remove(engine, "before_cursor_execute", note)
    written = [one for one in statements if one.startswith("INSERT INTO journal")]
    looked = [one for one in statements if "FROM journal" in one and "call_id =" in one]
    assert (len(written), looked) == (1, [])


@on_sqlite
def test_a_paid_read_is_no_change(alice, a_try):
    a_try(CUT, SEARCH, asks=1)
    a_try(DONE, SEARCH)
    assert alice.get("/api/ai/journal").json["entries"] == []
    turn = alice.records("ai-turns")[-1]["recordId"]
    assert alice.post(f"/api/ai/turns/{turn}/undo").json == {"undone": [], "conflicts": []}


@on_sqlite
def test_the_answer_of_an_earlier_try_is_given_once_in_each_try(alice, a_try, vendor):
    a_try(CUT, SEARCH, asks=1)
    a_try(CUT, SEARCH)
    a_try(DONE, SEARCH, SEARCH, asks=1)
    assert len(vendor.seen) == len(charges(alice)) == 2


@on_sqlite
def test_a_read_with_another_query_is_another_read(a_try, vendor):
    a_try(CUT, SEARCH, asks=1)
    a_try(DONE, call(PICTURES, query="owls"), asks=1)
    assert len(vendor.seen) == 2


@on_sqlite
def test_an_answer_that_is_stored_is_no_dead_try(a_try, alice, begin, chat, served_by, vendor):
    a_try(CUT, SEARCH, asks=1)
    a_try(DONE, SEARCH)
    served_by.answers = [SEARCH, DONE]
    turn = begin(alice, chat, userMessageId="u", trigger="regenerate-message")
    allow(alice, chat, turn.part("data-approval"))
    turn.end()
    assert len(vendor.seen) == 2


def old(app):
    then = now() - timedelta(seconds=READS_SECONDS)
    execute_write(app, update(JournalEntry).values(created_at=then))


def expired(app):
    execute_write(app, update(IdempotencyKey).values(expires_at=now() - timedelta(seconds=1)))


def swept(app):
    execute_write(app, delete(IdempotencyKey))


@on_sqlite
@pytest.mark.parametrize("became", [old, expired, swept])
def test_what_is_too_old_is_read_again(app, alice, a_try, vendor, became):
    a_try(CUT, SEARCH, asks=1)
    became(app)
    a_try(DONE, SEARCH, asks=1)
    assert len(vendor.seen) == len(charges(alice)) == 2


def test_a_new_answer_is_found_behind_one_that_is_too_old(app, alice, a_try, vendor):
    a_try(CUT, SEARCH, asks=1)
    old(app)
    again = a_try(CUT, SEARCH, asks=1)
    assert a_try(DONE, SEARCH) == again
    assert len(vendor.seen) == len(charges(alice)) == 2


@on_sqlite
def test_a_read_that_failed_is_made_again(a_try, vendor):
    vendor.answers = [Answer("no", "400 Bad Request"), vendor.answers[0]]
    assert a_try(CUT, SEARCH, asks=1) == []
    assert len(a_try(DONE, SEARCH, asks=1)) == 1
