"""A turn that a provider has refused is left out of prompts, which it would refuse as well."""

import pytest

from service.chat.models import Summary
from tests.chat.long_chats import SAID, fill, newest_turn, summary_of, text_answer
from tests.chat.scripted_steps import answer
from tests.services import on_sqlite

pytestmark = on_sqlite
REASONS = {"llm-sonnet-4-6": "refusal", "gen-5.4": "content_filter", "oss-120b": "content_filter"}


def refused(reason, *blocks):
    return lambda seen: answer(seen, list(blocks), reason)


@pytest.mark.parametrize("model", REASONS)
@pytest.mark.parametrize("blocks", [(), (("text", "First, you"),)], ids=["at once", "midway"])
def test_question_and_answer_of_a_refused_turn_are_left_out(alice, served_by, app, model, blocks):
    served_by.answers = [
        text_answer("hello"),
        refused(REASONS[model], *blocks),
        text_answer("gladly"),
    ]
    chat = alice.new_chat()
    for content in ("good day", "something bad", "something good"):
        end = alice.turn(chat, content, modelId=model)[-1]
        if content == "something bad":
            assert end["messageMetadata"]["finishReason"] == "content-filter"
            assert newest_turn(app).finish_reason == "content-filter"
    sent = served_by.seen[2].body.decode()
    assert "good day" in sent
    assert "something good" in sent
    assert "something bad" not in sent
    assert "First, you" not in sent
    assert "declined" not in sent
    assert [row["content"] for row in alice.rows(chat)][2] == "something bad"


def test_the_same_question_answered_after_all_counts_again(alice, served_by):
    served_by.answers = [refused("refusal"), text_answer("well then"), text_answer("fine")]
    chat = alice.new_chat()
    ask = {"userMessageId": "again", "trigger": "regenerate-message"}
    alice.turn(chat, "how so", userMessageId="again")
    alice.turn(chat, "how so", **ask)
    alice.turn(chat, "and now")
    sent = served_by.seen[2].body.decode()
    assert "how so" in sent
    assert "well then" in sent


@pytest.mark.settings(context_budget=20_000, summary_model="llm-haiku-4-5")
def test_a_summary_over_a_refused_turn_stays_good(alice, app, chat, model):
    """The refused rows count as covered, though nothing of them is told."""
    model.answers = [refused("refusal"), text_answer("fine")]
    alice.turn(chat, "something bad")
    fill(app, alice, chat, 30)
    alice.turn(chat, SAID)
    first: Summary = summary_of(app, chat)
    alice.turn(chat, "more")
    assert len(model.asked) == 1
    assert summary_of(app, chat).fingerprint == first.fingerprint
    assert "something bad" not in model.asked[0].body.decode()
    assert b"cache_control" not in model.asked[0].body  # nobody asks that again
