"""The stored answers of a chat's calls are not kept longer than the chat."""

import json

import pytest
from sqlalchemy import select

from service.chat.models import JournalEntry
from service.chat.turn import claim_watch
from service.extensions import db
from service.integrations.models import IdempotencyKey
from tests import model_streams
from tests.assistant.endpoint_calls import DONE, allow, call
from tests.assistant.team_chat import JSON, POST, TeamChat
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer

PICTURES = call("search-images", query="red kites")
FREE = call("weather-forecast", latitude=52.5, longitude=13.4)
NOTE = {"collection": "notes", "data": {"title": "secret"}}
WRITE = Answer(model_streams.anthropic_call("records__create", NOTE))
CUT = Answer("data: {}\n\n")


@pytest.fixture
def keys(app):
    """The keys that are stored, of how many of each endpoint."""

    def stored():
        with app.app_context():
            found = db.session.scalars(select(IdempotencyKey.endpoint)).all()
            db.session.commit()
            return sorted(found)

    return stored


@pytest.fixture
def ask(alice, begin, served_by):
    """A turn with one call, which its user allows."""

    def asking(chat, end=DONE, answer=PICTURES, **body):
        served_by.answers = [answer, end]
        turn = begin(alice, chat, **body)
        allow(alice, chat, turn.part("data-approval"))
        return turn

    return asking


@on_sqlite
def test_a_deleted_chat_leaves_no_stored_answer(alice, ask, chat, keys):
    """Neither of an answer that was replaced, nor of a try that failed."""
    ask(chat, userMessageId="u").end()
    ask(chat, userMessageId="u", trigger="regenerate-message").end()
    ask(chat, end=CUT, userMessageId="v").end()
    other = alice.new_chat()
    ask(other).end()
    own = {"Idempotency-Key": "mine", "Cache-Control": "no-cache"}
    alice.post("/api/integrations/search-images", {"query": "mine"}, headers=own)
    assert len(keys()) == 5
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 200
    assert len(keys()) == 2
    assert alice.delete(f"/api/records/ai-chats/{other}").status_code == 200
    assert len(keys()) == 1


@on_sqlite
def test_a_call_that_is_under_way_stores_no_answer(app, alice, ask, chat, keys):
    team = TeamChat()
    app.extensions["vendor_settings"] |= team.settings
    team.gate.clear()
    turn = ask(chat, answer=POST)
    wait_for(lambda: team.seen)
    alice.delete(f"/api/ai/chats/{chat}")
    team.stop()
    assert turn.end()[-1]["type"] == "abort"
    assert keys() == []


@pytest.fixture
def pictures(app):
    """The vendor of pictures, which costs."""
    vendor = TeamChat()
    vendor.reply = Answer(json.dumps({"type": "images", "results": []}), headers=JSON)
    settings = {"BRAVE_SEARCH_BASE_URL": vendor.url, "BRAVE_SEARCH_API_KEY": "key"}
    app.extensions["vendor_settings"] |= settings
    yield vendor
    vendor.stop()


@pytest.mark.parametrize("deletes", [False, True])
def test_a_call_that_ends_after_its_chat_is_charged(
    app, alice, ask, chat, pictures, monkeypatch, deletes
):
    """Its answer is not stored. The turn learns of the deletion only at its end."""
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)
    pictures.gate.clear()
    turn = ask(chat)
    wait_for(lambda: pictures.seen)
    if deletes:
        assert alice.delete(f"/api/records/ai-chats/{chat}").status_code == 200
    pictures.gate.set()
    assert turn.end()[-1]["type"] == ("abort" if deletes else "finish")
    [made] = alice.records("integration-calls")
    assert (made["data"]["status"], made["data"]["credits"]) == ("succeeded", 0.25)
    entries = alice.get("/api/credits").json["entries"]
    assert [e["amount"] for e in entries if e["what"] == "search-images"] == [-0.25]
    with app.app_context():
        answers = db.session.scalars(select(IdempotencyKey.answer)).all()
        db.session.commit()
    assert [answer is None for answer in answers] == [deletes]


@pytest.mark.parametrize("end", [DONE, CUT], ids=["finished", "failed"])
def test_tools_that_work_on_in_another_worker_leave_nothing(
    app, alice, chat, served_by, keys, monkeypatch, end
):
    """The turn learns of the deletion only at its end."""
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)

    def deleting(_seen):
        assert alice.delete(f"/api/records/ai-chats/{chat}").status_code == 200
        return WRITE

    def looking(_seen):
        assert keys()
        return end

    served_by.answers = [deleting, FREE, looking]
    assert alice.turn(chat, "go")[-1]["type"] == ("abort" if end is DONE else "error")
    assert keys() == []
    with app.app_context():
        entries = db.session.scalars(select(JournalEntry)).all()
        assert [(entry.before, entry.after) for entry in entries if entry.after] == []
        db.session.commit()


def test_a_turn_that_asks_its_user_after_its_chat_was_deleted_is_aborted(
    alice, chat, served_by, monkeypatch
):
    """Another worker has deleted it, and this one has not looked since."""
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)

    def deleting(_seen):
        assert alice.delete(f"/api/records/ai-chats/{chat}").status_code == 200
        return PICTURES

    served_by.answers = [deleting, DONE]
    ending = alice.turn(chat, "go")[-1]
    assert (ending["type"], len(served_by.seen)) == ("abort", 1)
