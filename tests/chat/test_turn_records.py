"""The collection `ai-turns`: what a stream showed of its turn, for a client that loads it later."""

import json

import pytest
from sqlalchemy import select

from service.chat.models import Turn
from service.extensions import db
from service.records.models import Outbox
from tests.services import on_sqlite, wait_for
from tests.user_erasure import erase


def turns(person, **query):
    return person.records("ai-turns", **query)


@on_sqlite
def test_a_turn_is_a_record_with_what_its_stream_showed(alice):
    chat = alice.new_chat()
    chunks = alice.turn(chat, "Who am I?", userMessageId="u")
    (record,) = turns(alice)
    shown, data = chunks[-1]["messageMetadata"], record["data"]
    assert record["recordId"] == chunks[0]["messageMetadata"]["turnId"]
    assert {name: data.pop(name) for name in ("finishReason", "steps", "usage")} == shown
    assert data.pop("durationMs") >= 0
    assert data.pop("credits") == -alice.get("/api/credits").json["entries"][0]["amount"]
    assert data == {
        "userId": "alice",
        "chatId": chat,
        "userMessageId": "u",
        "assistantMessageId": chunks[0]["messageId"],
        "modelId": "llm-sonnet-4-6",
        "status": "finished",
    }


@on_sqlite
@pytest.mark.parametrize("reason", ["gone", "stop", "drain"])
def test_an_aborted_turn_says_why(alice, app, reason):
    chat = alice.new_chat()
    running = alice.ask(chat, "count to 3000")
    stream = iter(running.response)
    while b"text-delta" not in next(stream):
        pass
    next(iter(app.extensions["runs"])).interruption.interrupt(reason)
    running.close()
    wait_for(lambda: not app.extensions["runs"])
    (record,) = turns(alice)
    assert (record["data"]["status"], record["data"]["reason"]) == ("aborted", reason)
    assert record["data"]["usage"]["estimated"] is True


@pytest.fixture
def three(alice):
    chat = alice.new_chat()
    for count in (300, 5, 100):
        alice.turn(chat, f"repeat after me: {'word ' * count}")
    return chat


def test_turns_are_filtered_sorted_and_paged_by_what_they_cost(alice, three):
    credits = [record["data"]["credits"] for record in turns(alice)]
    assert len(set(credits)) == 3
    middle = sorted(credits)[1]
    assert len(turns(alice, where={"credits": middle})) == 1
    assert len(turns(alice, where={"credits": {"gt": middle}, "chatId": three})) == 1
    seen, cursor = [], {}
    while cursor is not None:
        query = {"sort": "-credits", "limit": "1", **cursor}
        page = alice.get("/api/records/ai-turns", query_string=query).json
        seen += [record["data"]["credits"] for record in page["records"]]
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
    assert seen == sorted(credits, reverse=True)
    newest_first = [r["recordId"] for r in turns(alice, sort="-updatedAt")]
    assert newest_first == [r["recordId"] for r in turns(alice)][::-1]


def test_usage_can_be_neither_filtered_nor_sorted_by(alice, three):
    where, sort = {"where": json.dumps({"usage": None})}, {"sort": "usage"}
    for query, place in ((where, "where.usage"), (sort, "sort")):
        refused = alice.get("/api/records/ai-turns", query_string=query)
        assert (refused.status_code, list(refused.json["details"])) == (400, [place])


@on_sqlite
def test_the_feed_has_the_turn_as_the_list_has_it(alice, app):
    alice.turn(alice.new_chat(), "Who am I?")

    with app.app_context():
        change = db.session.query(Outbox).filter_by(collection="ai-turns").one()
    assert (change.action, change.before) == ("added", None)
    assert [change.after] == turns(alice)


@on_sqlite
def test_a_deleted_chat_leaves_its_turns_in_numbers(alice, bob, three):
    before = turns(alice)
    alice.delete(f"/api/ai/chats/{three}")
    assert turns(alice) == before
    assert turns(bob) == []
    assert "word" not in json.dumps(before)


def test_an_erased_user_leaves_turns_that_nobody_sees(app, alice, three):
    erase(app)
    with app.app_context():
        rows = db.session.query(Turn).all()
    assert len(rows) == 3
    assert "alice" not in {row.user_id for row in rows}


@on_sqlite
def test_a_limited_token_for_chats_reads_turns(alice, three):
    made = alice.post("/api/tokens", {"scope": "chat", "ttl": 60}).json
    answer = alice.get(
        "/api/records/ai-turns", headers={"Authorization": f"Bearer {made['token']}"}
    )
    assert len(answer.json["records"]) == 3


def test_a_turn_that_was_undone_says_when(alice, app):
    alice.turn(alice.new_chat(), "add two tasks: one, two")
    (before,) = turns(alice)
    assert "undoneAt" not in before["data"]
    alice.post(f"/api/ai/turns/{before['recordId']}/undo")
    (after,) = turns(alice, where={"undoneAt": {"gt": before["createdAt"]}}, sort="-updatedAt")
    assert after["data"]["undoneAt"] == after["updatedAt"] > before["updatedAt"]
    assert after["createdAt"] == before["createdAt"]
    with app.app_context():
        last = db.session.scalars(select(Outbox).order_by(Outbox.seq.desc())).first()
    assert last
    assert (last.collection, last.action, last.after) == ("ai-turns", "updated", after)
