"""Turns with a limited token: their credits, and what their tools may do."""

from service.billing.models import Allowance, Hold
from service.chat.turn.turn import TOO_FEW
from tests.chat.scripted_steps import answer
from tests.chat.turns import NOTES, call_tool
from tests.people import text_of
from tests.services import on_sqlite

CREDIT = 1_000_000


@on_sqlite
def test_a_turn_is_charged_to_the_limited_token(alice, books):
    limited = alice.limited("chat", credits=40)
    limited.turn(limited.new_chat(), "who am I")
    [allowance] = books.rows(Allowance)
    assert allowance.spent == -books.charges()[0] * CREDIT > 0
    assert (allowance.amount, allowance.user_id) == (40 * CREDIT, "alice")


@on_sqlite
def test_a_turn_that_the_token_can_not_afford_is_refused(alice, books):
    chat = alice.new_chat()
    for credits in (0, 0.5):
        refused = alice.limited("chat", credits=credits).ask(chat, "hello")
        assert (refused.status_code, refused.json["available"]) == (402, credits)
    assert (books.rows(Hold), books.rows(Allowance)) == ([], [])


@on_sqlite
def test_a_turn_ends_when_its_next_step_is_beyond_the_limit(alice, books, served_by):
    chat, asked = alice.new_chat(), ("call", "records.query", '{"collection": "notes"}')
    served_by.answers = [lambda seen: answer(seen, [asked])]
    refused = alice.limited("chat", credits=0).ask(chat, "what are my notes?")
    limited = alice.limited("chat", credits=refused.json["needed"])
    chunks = limited.turn(chat, "what are my notes?")
    assert text_of(chunks) == TOO_FEW["token"]
    assert len(served_by.seen) == 1
    [allowance] = books.rows(Allowance)
    assert 0 < allowance.spent < allowance.amount


@on_sqlite
def test_the_tools_of_a_turn_act_with_the_users_rights(alice):
    """As docs/api.md says: the token limits routes, and no tool."""
    limited = alice.limited("chat")
    call_tool(limited, limited.new_chat(), "records.create", **NOTES, data={"title": "by the tool"})
    [note] = alice.records("notes")
    assert note["data"]["title"] == "by the tool"
    assert limited.get("/api/ai/journal").status_code == 403


@on_sqlite
def test_a_chat_of_another_user_is_not_found(alice, bob):
    chat = bob.new_chat()
    limited = alice.limited("chat")
    assert limited.ask(chat, "hello").status_code == 404
    assert limited.delete(f"/api/ai/chats/{chat}").status_code == 404
    assert limited.get(f"/api/records/ai-chats/{chat}").status_code == 404
