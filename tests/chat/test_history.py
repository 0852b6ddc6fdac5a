"""What the model sees of a chat."""

import pytest
from sqlalchemy import event, update

from service.chat.history.messages import CUT_SHORT, StoredMessage, messages_of
from service.chat.models import Message, Turn
from service.extensions import db
from service.providers.prompt import AssistantMessage, Result, ToolCall, ToolResults, UserMessage
from tests.people import types
from tests.services import on_sqlite

STEP = {"type": "step-start"}


def text(said):
    return {"type": "text", "text": said, "state": "done"}


def tool(call_id, **state):
    return {"type": "tool-schema.list", "toolCallId": call_id, **state}


ROWS = {
    "text": ([STEP, text("hi")], [AssistantMessage("hi")]),
    "a tool and its result": (
        [
            STEP,
            tool("c1", state="output-available", input={"a": 1}, output=[1]),
            STEP,
            text("done"),
        ],
        [
            AssistantMessage("", (ToolCall("c1", "schema.list", {"a": 1}),)),
            ToolResults((Result("c1", "[1]"),)),
            AssistantMessage("done"),
        ],
    ),
    "invalid input": (
        [STEP, tool("c1", state="output-error", rawInput="{broken", errorText="no")],
        [
            AssistantMessage("", (ToolCall("c1", "schema.list", {"input": "{broken"}),)),
            ToolResults((Result("c1", "no", failed=True),)),
        ],
    ),
    "parallel tools": (
        [
            STEP,
            text("let me see"),
            tool("c1", state="output-available", input={}, output=None),
            tool("c2", state="output-error", input={}, errorText="interrupted"),
        ],
        [
            AssistantMessage(
                "let me see", (ToolCall("c1", "schema.list", {}), ToolCall("c2", "schema.list", {}))
            ),
            ToolResults((Result("c1", "null"), Result("c2", "interrupted", failed=True))),
        ],
    ),
}


@pytest.mark.parametrize(("parts", "messages"), ROWS.values(), ids=ROWS)
def test_stored_parts_become_messages(parts, messages):
    row = StoredMessage(1, "assistant", "", parts)
    assert list(messages_of(row)) == messages


def test_a_stored_user_message_becomes_its_content():
    assert list(messages_of(StoredMessage(1, "user", "hi"))) == [UserMessage("hi")]


@on_sqlite
def test_a_blank_message_does_not_break_the_chat(served_by, alice, stream_of):
    served_by.answers = [stream_of("hm")]
    chat = alice.new_chat()
    assert types(alice.turn(chat, "   "))[-1] == "finish"
    alice.turn(chat, "hello")
    said = [message["content"][0]["text"] for message in served_by.seen[1].json["messages"]]
    assert said == ["(an empty message)", "hm", "hello"]


@pytest.fixture
def at_the_history(app):
    """Have something happen once, between the reads of a chat's messages and of their turns."""
    with app.app_context():
        engine = db.engine
    waiting, reads = [], []

    def before(_connection, _cursor, statement, *_rest):
        if statement.startswith(("SELECT messages.seq", "SELECT turns.user_message_id")):
            reads.append(statement)
            if len(reads) == 2 and waiting:
                waiting.pop()(engine)

    def happen(what):
        reads.clear()
        waiting.append(what)

    event.listen(engine, "before_cursor_execute", before)
    yield happen
    event.remove(engine, "before_cursor_execute", before)
    assert not waiting, "the history was not read"


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_an_interrupted_reply_that_is_stored_meanwhile_has_its_remark(
    served_by, alice, stream_of, at_the_history
):
    """On SQLite, a transaction reads the database as it was at its first statement."""
    served_by.answers = [stream_of("half of a re")]
    chat, elsewhere = alice.new_chat(), alice.new_chat()
    alice.turn(elsewhere, "hello")
    served_by.answers = [stream_of("fine")]
    alice.turn(chat, "a chat without any is not read")

    def arrive(engine):
        with engine.begin() as connection:
            connection.execute(move(Message).values(chat_id=chat))
            connection.execute(move(Turn).values(chat_id=chat, status="aborted"))

    def move(model):
        return update(model).where(model.chat_id == elsewhere)

    at_the_history(arrive)
    for question in ("first", "second"):
        alice.turn(chat, question)
    *_, first, second = (str(seen.json) for seen in served_by.seen)
    assert ("half of a re" in first) == (CUT_SHORT in first)
    assert "half of a re" in second
    assert CUT_SHORT in second
