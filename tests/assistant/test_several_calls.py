"""Several calls of one step that wait for their user at the same time."""

import json

import pytest

from tests.assistant.conftest import DONE
from tests.people import text_of
from tests.permissions.calling import calls
from tests.services import wait_for
from tests.upstream import Answer

KITES = {"query": "red kites"}
WANTED = (("search-images", KITES), ("geocode-city", {"city": "Berlin"}), ("search-videos", KITES))


@pytest.fixture
def waiting(alice, begin, chat, served_by):
    """A turn with two cards, and the data of these, by endpoint."""
    named = [("integrations.call", {"endpoint": name, "body": body}) for name, body in WANTED]
    served_by.answers = [Answer(calls(*named)), DONE]
    turn = begin(alice, chat)
    wait_for(lambda: len(cards(turn)) == 2)
    return turn, {part["endpoint"]: part for part in cards(turn)}


def cards(turn):
    return [one["data"] for one in turn.chunks if one["type"] == "data-approval"]


def decide(person, chat, part, decision):
    path = f"/api/ai/chat/{chat}/approvals/{part['toolCallId']}"
    return person.post(path, {"decision": decision}).status_code


def results(chunks):
    return [one for one in chunks if one["type"].startswith("tool-output")]


def test_what_needs_no_decision_does_not_wait(waiting):
    turn, _ = waiting
    wait_for(lambda: results(turn.chunks))
    assert "Berlin" in json.dumps(results(turn.chunks)[0]["output"])


def test_each_card_is_decided_on_its_own(alice, chat, waiting):
    turn, parts = waiting
    images, videos = parts["search-images"], parts["search-videos"]
    assert decide(alice, chat, videos, "once") == 200
    wait_for(lambda: len(results(turn.chunks)) == 2)
    assert decide(alice, chat, images, "deny") == 200
    ended = {one["toolCallId"]: one for one in results(turn.end())}
    assert ended[videos["toolCallId"]]["output"]["results"]
    assert "did not allow" in ended[images["toolCallId"]]["errorText"]
    assert text_of(turn.chunks) == "done"


def test_a_stop_ends_all_cards(app, alice, chat, waiting):
    turn, parts = waiting
    assert len(app.extensions["waits"]) == 2
    alice.post(f"/api/ai/chat/{chat}/stop")
    assert [part["state"] for part in cards_at_end(turn)] == ["expired", "expired"]
    assert len(app.extensions["waits"]) == 0
    assert {decide(alice, chat, part, "once") for part in parts.values()} == {404}


def cards_at_end(turn):
    turn.end()
    return cards(turn)[-2:]
