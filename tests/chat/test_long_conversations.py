"""Long chats: what is compacted, when a summary is asked for, and what shows of it."""

from datetime import timedelta

import pytest
import time_machine

from service.chat.history.compaction import SUMMARY_INTRO
from service.chat.history.messages import UNDONE
from service.chat.models import Summary
from service.extensions import db
from service.times import now
from tests import model_streams
from tests.chat.long_chats import ASKED, SUMMARY, fill, newest_turn, summary_of, text_answer, texts
from tests.chat.wire_rules import complaints
from tests.people import text_of
from tests.query_plans import noting_plans
from tests.services import on_sqlite
from tests.upstream import Answer

SMALL = {"context_budget": 20_000, "min_kept": 4}  # 40 messages of 700 characters are too long
MODELS = {"A": "llm-sonnet-4-6", "B": "gen-5.4", "C": "oss-120b"}


def compaction(chunks):
    return chunks[-1]["messageMetadata"].get("compaction")


def test_what_was_said_first_is_known_after_four_hundred_messages(app, alice, chat):
    alice.turn(chat, "remember that the harbour is blue.")
    fill(app, alice, chat, 400)
    for stage in ("summarized", "summary", "summary"):
        chunks = alice.turn(chat, "what is the harbour?")
        assert text_of(chunks) == "the harbour is blue."
        assert compaction(chunks) == {"stages": [stage], "dropped": 0}
        assert newest_turn(app).compaction["stages"] == [stage]
    told = "The user has asked me things. remember that the harbour is blue."
    assert summary_of(app, chat).text == told


@on_sqlite
@pytest.mark.settings(context_budget=30_000)
def test_a_summary_of_six_thousand_messages_is_kept(app, alice, chat):
    """The sum of their times is beyond what SQLite can add up."""
    fill(app, alice, chat, 12_000, content="word")
    for stage in ("summarized", "summary"):
        assert compaction(alice.turn(chat, "and now?"))["stages"] == [stage]


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_a_turn_reads_no_other_chats_turns(app, alice, long_chat, model):
    """All of a user's were read for each message that the summary covers."""
    alice.turn(long_chat, "first")
    with noting_plans(app) as lines:
        assert compaction(alice.turn(long_chat, "second"))["stages"] == ["summary"]
    of_turns = {line for line in lines if line.startswith(("SEARCH turns", "SCAN turns"))}
    assert of_turns == {"SEARCH turns USING INDEX ix_turns_chat_id_status (chat_id=?)"}


@on_sqlite
def test_a_short_conversation_is_sent_as_it_is(alice, chat, model):
    chunks = alice.turn(chat, "hello")
    assert compaction(chunks) is None
    assert model.asked == []
    assert texts(model.turns[0]) == ["hello"]


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_the_second_turn_after_a_summary_asks_for_none(alice, long_chat, model):
    for number in range(3):
        alice.turn(long_chat, f"question {number}")
    assert len(model.asked) == 1
    assert [texts(seen)[0].startswith(SUMMARY_INTRO + SUMMARY) for seen in model.turns] == [
        True
    ] * 3
    assert len(texts(model.asked[0])) == 1
    assert "tools" not in model.asked[0].json


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_a_summary_grows_with_the_conversation(app, alice, long_chat, model):
    alice.turn(long_chat, "first")
    covered = summary_of(app, long_chat).covers_seq
    for number in range(3):
        alice.turn(long_chat, f"{number} " + "more " * 600)
    assert len(model.asked) == 2
    assert f"{ASKED}\n\nSummary so far: {SUMMARY}" in texts(model.asked[1])[0]
    assert summary_of(app, long_chat).covers_seq > covered


CHANGES = {
    "edited": lambda alice, id: alice.patch(f"/api/records/ai-messages/{id}", {"content": "new"}),
    "deleted": lambda alice, id: alice.delete(f"/api/records/ai-messages/{id}"),
}


@on_sqlite
@pytest.mark.settings(**SMALL)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("message", ["old-0", "old-7", "old-18"])
def test_a_change_of_what_a_summary_covers_makes_one_anew(alice, long_chat, model, change, message):
    alice.turn(long_chat, "first")
    assert CHANGES[change](alice, message).status_code == 200
    alice.turn(long_chat, "second")
    assert len(model.asked) == 2
    assert "Summary so far" not in texts(model.asked[1])[0]
    alice.turn(long_chat, "third")
    assert len(model.asked) == 2


@pytest.mark.settings(**SMALL)
def test_an_edit_by_a_clock_that_is_behind_makes_one_anew(alice, long_chat, model):
    """Its time is not the newest of what the summary covers."""
    alice.turn(long_chat, "first")
    with time_machine.travel(now() - timedelta(days=400)):
        assert CHANGES["edited"](alice, "old-7").status_code == 200
    alice.turn(long_chat, "second")
    assert len(model.asked) == 2


@pytest.fixture
def undo(app, alice, chat, model):
    """Takes back the note that was made at the beginning of a long chat."""
    given = {"collection": "notes", "data": {"title": "zebra"}}
    made = Answer(model_streams.anthropic_call("records__create", given))
    model.answers[:] = [made, text_answer("fine")]
    turn_id = alice.turn(chat, "make a note")[0]["messageMetadata"]["turnId"]
    fill(app, alice, chat, 40)

    def take_back():
        answer = alice.post(f"/api/ai/turns/{turn_id}/undo").json
        assert (len(answer["undone"]), answer["conflicts"]) == (1, [])

    return take_back


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_an_undo_of_what_a_summary_covers_makes_one_anew(alice, chat, model, undo):
    alice.turn(chat, "first")
    undo()
    for question in ("second", "third"):
        alice.turn(chat, question)
    assert [UNDONE in texts(seen)[0] for seen in model.asked] == [False, True]


@pytest.mark.settings(**SMALL)
def test_an_undo_while_a_summary_is_made_is_in_the_next_one(alice, chat, model, undo):
    def undoing(seen):
        undo()
        return text_answer(SUMMARY)(seen)

    model.summaries[:] = [undoing, text_answer(SUMMARY)]
    for question in ("first", "second", "third"):
        alice.turn(chat, question)
    assert [UNDONE in texts(seen)[0] for seen in model.asked] == [False, True]


@on_sqlite
@pytest.mark.settings(**SMALL)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_it_does_not_cover_makes_none(alice, long_chat, model, change):
    alice.turn(long_chat, "first")
    assert CHANGES[change](alice, "old-30").status_code == 200
    alice.turn(long_chat, "second")
    assert len(model.asked) == 1
    assert ("new" in " ".join(texts(model.turns[1]))) is (change == "edited")


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_a_new_answer_to_the_last_question_makes_none(alice, long_chat, model):
    alice.turn(long_chat, "first", userMessageId="u")
    alice.turn(long_chat, "first", userMessageId="u", trigger="regenerate-message")
    assert len(model.asked) == 1
    assert texts(model.turns[0]) == texts(model.turns[1])


@on_sqlite
@pytest.mark.settings(context_budget=1_100, min_kept=2)
def test_what_is_replaced_is_not_told_by_a_summary_of_it(alice, chat, model):
    for number in range(4):
        alice.turn(chat, f"question {number} " + "word " * 60, userMessageId=f"q{number}")
    assert len(model.asked) == 1
    for record in alice.records("ai-messages")[2:]:
        alice.delete(f"/api/records/ai-messages/{record['recordId']}")
    alice.turn(chat, "another", userMessageId="q0")
    assert texts(model.turns[-1]) == ["another"]


def test_a_chat_that_is_deleted_takes_its_summary_along(app, alice, chat, model):
    fill(app, alice, chat, 400)
    alice.turn(chat, "first")
    assert summary_of(app, chat).text == SUMMARY
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 200
    with app.app_context():
        assert db.session.query(Summary).count() == 0


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_a_summary_is_never_a_message(alice, long_chat, model):
    chunks = alice.turn(long_chat, "first")
    assert SUMMARY not in str(chunks)
    rows = alice.rows(long_chat)
    assert len(rows) == 42
    assert SUMMARY not in str(rows)
    assert SUMMARY not in str(alice.records("ai-chats"))


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_a_summary_is_paid_for_and_says_so(app, alice, long_chat, model):
    used = alice.turn(long_chat, "first", userMessageId="u")[-1]["messageMetadata"]["usage"]
    assert used["summary"] == {"modelId": "llm-haiku-4-5", "inputTokens": 10, "outputTokens": 5}
    entry = alice.get("/api/credits").json["entries"][0]
    cost = 10 * 150 + 5 * 750 + 10 * 50 + 5 * 250  # micro-credits
    assert entry["amount"] == -cost / 1e6
    assert entry["facts"]["usage"] == used
    assert newest_turn(app).credits == cost
    again = alice.turn(long_chat, "first", userMessageId="u")
    assert again[-1]["messageMetadata"]["usage"] == used


@on_sqlite
@pytest.mark.settings(**SMALL, tool_result_cap=200, keep_recent_tool_results=0)
def test_stages_are_named_in_the_order_in_which_they_apply(app, alice, long_chat, model):
    alice.turn(long_chat, "first")
    call = Answer(model_streams.anthropic_call("schema__describe", {"collection": "ai-chats"}))
    model.answers = [call, text_answer("fine")]
    alice.turn(long_chat, "describe ai-chats")
    chunks = alice.turn(long_chat, "and now?")
    assert compaction(chunks)["stages"] == ["results", "summary"]
    assert newest_turn(app).compaction["stages"] == ["results", "summary"]


@on_sqlite
@pytest.mark.settings(**SMALL)
def test_metrics_count_the_stages(alice, long_chat, model, client):
    def counted(stage):
        figures = client.get("/metrics").get_data(as_text=True).splitlines()
        named = [line for line in figures if line.startswith(f'compactions_total{{stage="{stage}"')]
        return sum(float(line.split()[-1]) for line in named)

    stages = ("summarized", "summary", "window")
    before = [counted(stage) for stage in stages]
    alice.turn(long_chat, "first")
    alice.turn(long_chat, "second")
    assert [counted(s) - b for s, b in zip(stages, before, strict=True)] == [1, 1, 0]


@on_sqlite
@pytest.mark.settings(extensions="tests.extension", context_budget=60_000, min_kept=4)
def test_the_history_makes_way_for_what_this_turn_finds(app, alice, chat):
    """The tool's result has 50 000 characters, the history 28 000."""
    fill(app, alice, chat, 40)
    chunks = alice.turn(chat, "call test.long with {}")
    assert compaction(chunks)["stages"] == ["summarized", "window"]
    assert chunks[-1]["messageMetadata"]["steps"] == 2


OLD_PARTS = [
    {"type": "reasoning", "text": "hm"},
    {"type": "tool-gone.tool", "toolCallId": "c", "input": {"a": 1}},
    {"type": "tool-schema.list", "toolCallId": "c", "state": "output-available", "output": "x"},
    {"type": "dynamic-tool"},
    None,
]


@on_sqlite
@pytest.mark.parametrize("kind", MODELS)
def test_rows_of_an_older_version_can_be_gone_on_with(app, alice, chat, model, kind):
    fill(app, alice, chat, 6, parts=OLD_PARTS, content="")
    alice.delete("/api/records/ai-messages/old-0")
    alice.delete("/api/records/ai-messages/old-3")
    assert alice.patch("/api/records/ai-messages/old-5", {"content": "new"}).status_code == 200
    assert alice.turn(chat, "and now?", modelId=MODELS[kind])[-1]["type"] == "finish"
    assert complaints(kind, model.turns[0].body) == []
    assert texts(model.turns[0])[0] == "[The beginning of this conversation is gone.]"


@on_sqlite
@pytest.mark.parametrize("kind", MODELS)
def test_an_edited_answer_is_told_with_its_calls(alice, chat, model, kind):
    alice.turn(chat, "one", modelId=MODELS[kind])
    answer = alice.records("ai-messages", where={"role": "assistant"})[0]["recordId"]
    alice.patch(f"/api/records/ai-messages/{answer}", {"content": "better"})
    alice.turn(chat, "two", modelId=MODELS[kind])
    assert complaints(kind, model.turns[1].body) == []
    assert "better" in texts(model.turns[1])[1]
    assert "[I have edited the text of the reply above.]" in texts(model.turns[1])[2]


def long_results(served_by, calls):
    """A model that makes so many calls of a tool with a long result, and then answers."""
    call = Answer(model_streams.anthropic_call("test__long", {}))
    served_by.answers = [*[call] * calls, Answer(model_streams.anthropic("done"))]
    served_by.seen.clear()


def result_sizes(seen):
    parts = [part for message in seen.json["messages"] for part in message["content"]]
    return [len(part["content"]) for part in parts if part["type"] == "tool_result"]


@on_sqlite
@pytest.mark.settings(extensions="tests.extension", keep_recent_tool_results=2)
def test_results_of_the_running_turn_count_among_the_newest(alice, chat, served_by):
    """The third call is a repetition, whose result is short."""
    long_results(served_by, 3)
    chunks = alice.turn(chat, "hello")
    sizes = [result_sizes(seen) for seen in served_by.seen]
    assert sizes[2] == [50_002, 50_002]
    assert sizes[3][0] <= 30_000 < sizes[3][1]
    assert compaction(chunks) == {"stages": ["results"], "dropped": 0}
    parts = [part for part in alice.rows(chat)[1]["parts"] if part["type"] == "tool-test.long"]
    assert [len(part["output"]) for part in parts[:2]] == [50_000, 50_000]


@on_sqlite
@pytest.mark.settings(extensions="tests.extension", keep_recent_tool_results=2)
def test_a_result_of_an_earlier_turn_makes_way_for_those_of_this_one(alice, chat, served_by):
    long_results(served_by, 1)
    alice.turn(chat, "first")
    long_results(served_by, 2)
    alice.turn(chat, "second")
    sizes = [result_sizes(seen) for seen in served_by.seen]
    assert sizes[:2] == [[50_002], [50_002, 50_002]]
    assert sizes[2][0] <= 30_000
    assert sizes[2][1:] == [50_002, 50_002]
