"""`replaces`: an earlier message is edited and sent again; it and what follows are replaced."""

import pytest
from sqlalchemy import delete, select, text

from service.chat.models import Claim, Summary
from service.database.access import write_transaction
from service.extensions import db
from service.records.models import Outbox
from tests.chat.long_chats import texts
from tests.people import text_of, types
from tests.services import on_sqlite, wait_for


@pytest.fixture
def chat(alice):
    """Three turns: `one`, `two`, `three`, whose answers repeat these words."""
    chat = alice.new_chat("Mine")
    for word in ("one", "two", "three"):
        alice.turn(chat, f"repeat after me: {word}", userMessageId=word)
    return chat


def said(person, chat):
    return [row["content"].removeprefix("repeat after me: ") for row in person.rows(chat)]


@on_sqlite
@pytest.mark.parametrize("new_id", ["two", "other"])
def test_an_edited_message_replaces_itself_and_all_that_follows(alice, chat, new_id):
    edited = {"userMessageId": new_id, "replaces": "two"}
    chunks = alice.turn(chat, "repeat after me: zwei", **edited)
    assert types(chunks)[-1] == "finish"
    assert said(alice, chat) == ["one", "one", "zwei", "zwei"]
    ids = [r["recordId"] for r in alice.records("ai-messages", where={"role": "user"})]
    assert ids == ["one", new_id]
    assert alice.records("ai-chats")[0]["data"]["title"] == "Mine"


@on_sqlite
def test_the_model_sees_the_history_before_the_replaced_message(
    served_by, alice, stream_of, chat_of_three
):
    served_by.answers.append(stream_of("new"))
    alice.turn(chat_of_three, "edited", userMessageId="new", replaces="two")
    sent = served_by.seen[-1].json["messages"]
    assert [m["content"][0]["text"] for m in sent] == ["one", "answer", "edited"]


@pytest.fixture
def chat_of_three(served_by, alice, stream_of):
    chat = alice.new_chat()
    served_by.answers = [stream_of("answer") for _ in range(3)]
    for word in ("one", "two", "three"):
        alice.turn(chat, word, userMessageId=word)
    return chat


@on_sqlite
def test_the_first_message_can_be_replaced(alice, chat):
    alice.turn(chat, "repeat after me: uno", userMessageId="new", replaces="one")
    assert said(alice, chat) == ["uno", "uno"]


@on_sqlite
def test_an_earlier_message_can_be_answered_anew_with_the_same_text(alice, chat):
    again = {"userMessageId": "two", "replaces": "two", "trigger": "regenerate-message"}
    alice.turn(chat, "repeat after me: two", **again)
    assert said(alice, chat) == ["one", "one", "two", "two"]


@on_sqlite
@pytest.mark.parametrize("new_id", ["two", "other"])
def test_an_edit_that_is_sent_again_gets_its_stored_answer(alice, chat, new_id):
    edited = {"userMessageId": new_id, "replaces": "two"}
    first = alice.turn(chat, "repeat after me: zwei", **edited)
    paid = alice.get("/api/credits").json["balance"]
    again = alice.turn(chat, "repeat after me: zwei", **edited)
    assert (again[0]["messageId"], text_of(again)) == (first[0]["messageId"], "zwei")
    assert alice.get("/api/credits").json["balance"] == paid
    assert said(alice, chat) == ["one", "one", "zwei", "zwei"]


@on_sqlite
def test_a_failed_edit_leaves_the_chat_as_it_was(alice, chat):
    before = alice.records("ai-messages")
    chunks = alice.turn(chat, "/fail error-midway", userMessageId="new", replaces="two")
    assert types(chunks)[-1] == "error"
    assert alice.records("ai-messages") == before


def begun(person, chat, **body):
    """A turn that waits for its reader, and the rest of its stream."""
    running = person.ask(chat, "count to 3000", **body)
    stream = iter(running.response)
    while b"text-delta" not in next(stream):
        pass
    return running, stream


@on_sqlite
def test_a_message_whose_turn_failed_is_edited_as_a_new_one(alice, chat):
    """A client has it among its messages, and so names it."""
    alice.turn(chat, "/fail error-first", userMessageId="four")
    alice.turn(chat, "repeat after me: four", userMessageId="four", replaces="four")
    assert said(alice, chat) == ["one", "one", "two", "two", "three", "three", "four", "four"]


@on_sqlite
def test_an_edit_that_its_client_leaves_replaces_what_it_had_answered(alice, chat, app):
    running, _ = begun(alice, chat, userMessageId="new", replaces="two")
    running.close()
    wait_for(lambda: not app.extensions["runs"])
    assert said(alice, chat)[:3] == ["one", "one", "count to 3000"]
    assert len(said(alice, chat)) == 4


@on_sqlite
def test_what_cannot_be_replaced_is_refused(alice, bob, chat):
    elsewhere = alice.new_chat()
    answer = alice.turn(elsewhere, "hello", userMessageId="there")[0]["messageId"]
    bob.turn(bob.new_chat(), "hello", userMessageId="his")
    for replaces in ("absent", "there", "his"):
        refused = alice.ask(chat, "x", userMessageId="new", replaces=replaces)
        assert (refused.status_code, refused.json["error"]) == (404, "not_found")
    refused = alice.ask(elsewhere, "x", userMessageId="new", replaces=answer)
    assert (refused.status_code, list(refused.json["details"])) == (400, ["replaces"])
    for taken in ("one", "three", "there"):
        assert alice.ask(chat, "x", userMessageId=taken, replaces="two").status_code == 409
    assert alice.ask(chat, "x", userMessageId="new", replaces="").status_code == 400


def test_of_two_edits_in_a_chat_only_one_runs(alice, chat):
    running, _ = begun(alice, chat, userMessageId="new", replaces="two")
    for message in ("two", "one", "three", "new"):
        second = alice.ask(chat, "hello", userMessageId="newer", replaces=message)
        assert (second.status_code, second.headers["Retry-After"]) == (409, "5")
    again = alice.ask(chat, "hello", userMessageId="three", trigger="regenerate-message")
    assert again.status_code == 409
    running.close()


def test_rows_that_another_turn_stores_meanwhile_stay(alice, chat):
    _, stream = begun(alice, chat, userMessageId="new", replaces="two")
    alice.turn(chat, "repeat after me: unseen", userMessageId="unseen")
    assert b'"type":"finish"' in b"".join(stream)
    stored = ["one", "one", "unseen", "unseen", "count to 3000"]
    assert said(alice, chat)[:-1] == stored


def test_a_turn_that_lost_its_claim_is_not_stored_over_another_edit(alice, chat, app):
    _, stream = begun(alice, chat, userMessageId="new", replaces="two")
    app.extensions["claim_watch"].stop()  # or it might claim again before the other edit comes
    with app.app_context():
        db.session.execute(delete(Claim))
        db.session.commit()
    alice.turn(chat, "repeat after me: zwei", userMessageId="newer", replaces="two")
    assert b'"type":"error"' in b"".join(stream)
    assert said(alice, chat) == ["one", "one", "zwei", "zwei"]


def test_the_feed_tells_of_the_removals_without_their_texts(alice, chat, app):
    ids = [record["recordId"] for record in alice.records("ai-messages")]
    alice.turn(chat, "repeat after me: zwei", userMessageId="new", replaces="two")
    with app.app_context():
        query = select(Outbox).where(Outbox.record_id.in_(ids)).order_by(Outbox.seq)
        changes = db.session.scalars(query).all()
    assert [c.record_id for c in changes if c.action == "removed"] == ids[2:]
    assert {c.record_id for c in changes if c.before or c.after} == set(ids[:2])


def test_the_feed_tells_of_what_is_deleted_meanwhile_once(alice, chat, app):
    ids = [record["recordId"] for record in alice.records("ai-messages")]
    _, stream = begun(alice, chat, userMessageId="new", replaces="two")
    assert alice.delete("/api/records/ai-messages/three").status_code == 200
    assert b'"type":"finish"' in b"".join(stream)
    with app.app_context():
        removed = db.session.scalars(select(Outbox.record_id).where(Outbox.action == "removed"))
        assert sorted(removed) == sorted(ids[2:])


@on_sqlite
@pytest.mark.settings(context_budget=1_100, min_kept=2)
def test_a_summary_of_what_is_replaced_is_not_used(alice, model):
    chat = alice.new_chat()
    for number in range(4):
        alice.turn(chat, f"question {number} " + "word " * 60, userMessageId=f"q{number}")
    assert len(model.asked) == 1
    alice.turn(chat, "another", userMessageId="new", replaces="q0")
    assert texts(model.turns[-1]) == ["another"]


@pytest.mark.parametrize(("replaced", "kept"), [("one", False), ("three", True)])
def test_a_summary_goes_with_the_messages_that_it_covers(app, alice, chat, replaced, kept):
    covered = "select max(seq) from messages where record_id = 'two'"
    with app.app_context(), write_transaction() as session:
        upto = session.scalar(text(covered))
        session.add(Summary(chat_id=chat, text="what was said", covers_seq=upto))
    alice.turn(chat, "repeat after me: new", userMessageId="new", replaces=replaced)
    with app.app_context():
        assert (db.session.get(Summary, chat) is not None) == kept
        db.session.commit()
