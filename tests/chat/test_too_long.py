"""What a provider finds too long is compacted once more, and tried once more."""

import pytest
from sqlalchemy import update

from service.chat.models import Message
from service.chat.turn.turn import NO_CREDITS
from service.database.access import write_transaction
from tests import model_streams
from tests.chat.long_chats import SUMMARY, summary_of, text_answer, texts
from tests.chat.scripted_steps import answer
from tests.people import text_of, types
from tests.services import on_sqlite
from tests.upstream import Answer

pytestmark = on_sqlite
STREAM = model_streams.anthropic(SUMMARY)
A_LONG = "prompt is too long: 213462 tokens > 200000 maximum"
B_LONG = "This model's maximum context length is 128000 tokens. Please reduce the length."
TOO_LONG = {
    "llm-sonnet-4-6": {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": A_LONG},
    },
    "gen-5.4": {"error": {"message": B_LONG, "code": "context_length_exceeded"}},
    "oss-120b": {"error": B_LONG},
}


def too_long(model_id):
    return Answer(str(TOO_LONG[model_id]).replace("'s", "").replace("'", '"'), "400 Bad Request")


@pytest.mark.parametrize("model_id", TOO_LONG)
def test_what_a_provider_finds_too_long_is_compacted_once_more(alice, long_chat, model, model_id):
    model.answers = [too_long(model_id), text_answer("fine")]
    chunks = alice.turn(long_chat, "first", modelId=model_id)
    assert (text_of(chunks), types(chunks)[-1]) == ("fine", "finish")
    assert types(chunks).count("start-step") == 1
    first, second = (sum(map(len, texts(seen))) for seen in model.turns)
    assert second <= first // 2
    assert chunks[-1]["messageMetadata"]["compaction"]["stages"] == ["summarized", "window"]


@pytest.mark.parametrize("model_id", TOO_LONG)
def test_a_second_refusal_of_a_long_prompt_ends_the_turn(alice, long_chat, model, model_id):
    model.answers = [too_long(model_id)]
    chunks = alice.turn(long_chat, "first", modelId=model_id)
    assert chunks[-1]["errorText"] == "This conversation has become too long for the model."
    assert types(chunks).count("error") == 1
    assert len(model.turns) == 2
    assert len(alice.rows(long_chat)) == 40


def test_a_step_that_has_shown_text_is_not_tried_again(alice, long_chat, model):
    text, *_ = model_streams.openai("some text").split("data: ", 2)[1:]
    error = '{"error":{"code":400,"message":"maximum context length"}}'
    model.answers = [Answer(f"data: {text}data: {error}\n\n")]
    chunks = alice.turn(long_chat, "first", modelId="oss-120b")
    assert text_of(chunks) == "some text"
    assert chunks[-1]["errorText"] == "This conversation has become too long for the model."
    assert len(model.turns) == 1


def test_a_last_step_that_is_asked_for_without_tools_is_as_short(alice, long_chat, model):
    calling = [lambda seen: answer(seen, [("call", "schema__list", "{}")])] * 4
    refused = Answer('{"error":{"code":"tool_use_failed"}}', "400 Bad Request")
    model.answers = [*calling, too_long("oss-120b"), refused, text_answer("fine")]
    chunks = alice.turn(long_chat, "first", modelId="oss-120b")
    assert text_of(chunks) == "fine"
    shorter, last = (seen.json for seen in model.turns[-2:])
    assert last["messages"] == shorter["messages"]


@pytest.mark.settings(context_budget=20_000, min_kept=2)
def test_one_turn_asks_for_one_summary_only(alice, long_chat, model):
    model.answers = [too_long("gen-5.4"), text_answer("fine")]
    chunks = alice.turn(long_chat, "first", modelId="gen-5.4")
    assert chunks[-1]["messageMetadata"]["compaction"]["stages"] == ["summarized", "window"]
    assert len(model.asked) == 1


@pytest.mark.settings(starting_credits=3)
def test_a_second_try_that_the_credits_do_not_cover_is_not_made(alice, long_chat, model):
    dear = STREAM.replace('"output_tokens": 5', '"output_tokens": 50000')
    model.summaries = [Answer(dear)]
    model.answers = [too_long("oss-120b"), text_answer("fine")]
    chunks = alice.turn(long_chat, "first", modelId="oss-120b")
    assert text_of(chunks) == NO_CREDITS
    assert types(chunks)[-1] == "finish"
    assert (len(model.asked), len(model.turns)) == (1, 1)


@pytest.mark.settings(context_budget=20_000, min_kept=2)
def test_what_was_left_out_is_not_summarised_afterwards(app, alice, long_chat, model):
    """Its first half has no question to cut at, so that the window comes before any summary."""
    ids = [f"old-{number}" for number in range(2, 24, 2)]
    with app.app_context(), write_transaction() as session:
        session.execute(update(Message).where(Message.record_id.in_(ids)).values(role="assistant"))
    model.answers = [too_long("gen-5.4"), text_answer("fine")]
    chunks = alice.turn(long_chat, "first", modelId="gen-5.4")
    assert chunks[-1]["messageMetadata"]["compaction"]["stages"] == ["window"]
    assert (model.asked, summary_of(app, long_chat)) == ([], None)


@pytest.mark.settings(context_budget=6_000, min_kept=40)
@pytest.mark.parametrize("model_id", TOO_LONG)
def test_a_prompt_that_was_shortened_already_is_sent_at_half_its_length(
    alice, long_chat, model, model_id
):
    """The last request counts, not the stored conversation, which is much longer."""
    model.answers = [too_long(model_id), text_answer("fine")]
    chunks = alice.turn(long_chat, "first", modelId=model_id)
    assert text_of(chunks) == "fine"
    first, second = (sum(map(len, texts(seen))) for seen in model.turns)
    assert first <= 6_000
    assert second <= first // 2
