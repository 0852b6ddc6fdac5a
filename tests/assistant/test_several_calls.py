"""Several calls of one step that wait for their user at the same time."""

import json

import pytest

from tests.assistant.endpoint_calls import DONE, allow, call, cards, decide
from tests.people import text_of
from tests.permissions.scripted_calls import stream_of_calls
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer

KITES = {"query": "red kites"}
WANTED = (("search-images", KITES), ("geocode-city", {"city": "Berlin"}), ("search-videos", KITES))
BOAT = {"prompt": "a red boat"}


@pytest.fixture
def ask_for(alice, begin, chat, served_by):
    """Begins a turn with some calls in one step, and waits for so many cards."""

    def asking(wanted, count):
        named = [("integrations.call", {"endpoint": name, "body": body}) for name, body in wanted]
        served_by.answers = [Answer(stream_of_calls(*named)), DONE]
        turn = begin(alice, chat)
        wait_for(lambda: len(cards(turn.chunks)) == count)
        return turn

    return asking


@pytest.fixture
def waiting(ask_for):
    """A turn with two cards, and the data of these, by endpoint."""
    turn = ask_for(WANTED, 2)
    return turn, {part["endpoint"]: part for part in cards(turn.chunks)}


def results(chunks):
    return [one for one in chunks if one["type"].startswith("tool-output")]


@on_sqlite
def test_what_needs_no_decision_does_not_wait(waiting):
    turn, _ = waiting
    wait_for(lambda: results(turn.chunks))
    assert "Berlin" in json.dumps(results(turn.chunks)[0]["output"])


@on_sqlite
def test_each_card_is_decided_on_its_own(alice, chat, waiting):
    turn, parts = waiting
    images, videos = parts["search-images"], parts["search-videos"]
    allow(alice, chat, videos)
    wait_for(lambda: len(results(turn.chunks)) == 2)
    assert decide(alice, chat, images, "deny").status_code == 200
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
    assert {decide(alice, chat, part, "once").status_code for part in parts.values()} == {404}


def cards_at_end(turn):
    turn.end()
    return cards(turn.chunks)[-2:]


def test_allowed_for_the_chat_frees_the_calls_of_the_endpoint_beside(alice, chat, ask_for):
    bodies = ({"query": "red kites"}, {"query": "ravens"}, {"query": "owls"})
    turn = ask_for([("search-images", body) for body in bodies], 3)
    allow(alice, chat, cards(turn.chunks)[1], "chat")
    chunks = turn.end()
    assert [one["output"]["results"] != [] for one in results(chunks)] == [True] * 3
    assert {part["state"] for part in cards(turn.chunks)[-3:]} == {"chat"}


@on_sqlite
def test_allowed_for_the_chat_frees_no_dearer_call_and_none_elsewhere(
    alice, begin, chat, served_by
):
    def waiting_in(where, endpoint="generate-image", **body):
        served_by.answers = [call(endpoint, **BOAT, **body)]
        turn = begin(alice, where)
        return turn, turn.part("data-approval")

    allowed, card = waiting_in(chat)
    dearer, others = waiting_in(chat, quality="high"), waiting_in(alice.new_chat())
    served_by.answers = [DONE]
    allow(alice, chat, card, "chat")
    assert text_of(allowed.end()) == "done"
    for turn, _ in (dearer, others):
        assert turn.part("data-approval")["state"] == "asked"
