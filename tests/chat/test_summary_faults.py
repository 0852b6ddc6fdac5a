"""A summary can't be made: the turn continues without one."""

from datetime import timedelta

import gevent
import pytest
from prometheus_client import REGISTRY
from sqlalchemy import update

from service.chat.history import recall
from service.chat.models import Summary
from service.chat.turn import summary
from service.database.access import write_transaction
from service.times import now
from tests import model_streams
from tests.chat.long_chats import SAID, SUMMARY, fill, newest_turn, summary_of, text_answer, texts
from tests.chat.turns import is_idle
from tests.people import text_of, types
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer

pytestmark = on_sqlite
SMALL = {"context_budget": 20_000, "min_kept": 4}
STREAM = model_streams.anthropic(SUMMARY)
REFUSED = STREAM.replace('"end_turn"', '"refusal"')
FAULTS = {
    "down": Answer("{}", "500 Internal Server Error"),
    "a wrong key": Answer('{"error":{"message":"no"}}', "401 Unauthorized"),
    "too long for it": Answer('{"error":{"message":"prompt is too long"}}', "400 Bad Request"),
    "an HTML page": Answer("<html>Bad gateway</html>"),
    "garbled": Answer("data: {no\n\n"),
    "empty": Answer(""),
    "cut": Answer(STREAM.partition("event: message_stop")[0]),
    "blank": text_answer(" \n"),
    "refused": Answer(REFUSED),
    "an echo": text_answer("User: " + SAID * 20),
}
UNPAID = ("down", "a wrong key", "too long for it", "an HTML page", "garbled", "empty", "cut")


@pytest.mark.settings(**SMALL)
@pytest.mark.parametrize("fault", FAULTS)
def test_without_a_summary_the_oldest_messages_go(app, alice, long_chat, model, fault):
    model.summaries = [FAULTS[fault]]
    end = alice.turn(long_chat, "first")[-1]
    assert end["type"] == "finish"
    assert end["messageMetadata"]["compaction"] == {"stages": ["window"], "dropped": 12}
    assert len(texts(model.turns[0])) == 29
    stored = summary_of(app, long_chat)
    assert (stored.text, stored.failures) == (None, 1)
    assert ("summary" in end["messageMetadata"]["usage"]) is (fault not in UNPAID)
    assert len(alice.rows(long_chat)) == 42


@pytest.mark.settings(**SMALL)
def test_the_turn_does_not_wait_for_a_slow_summary(alice, long_chat, model, monkeypatch):
    monkeypatch.setattr(summary, "SUMMARY_SECONDS", 0.1)
    model.summaries = [lambda seen: gevent.sleep(2) or Answer(STREAM)]
    chunks = alice.turn(long_chat, "first")
    assert (text_of(chunks), types(chunks)[-1]) == ("fine", "finish")
    assert chunks[-1]["messageMetadata"]["compaction"]["stages"] == ["window"]


@pytest.mark.settings(**SMALL)
def test_a_turn_can_be_ended_after_a_slow_summariser_as_before(
    app, alice, long_chat, model, monkeypatch
):
    monkeypatch.setattr(summary, "SUMMARY_SECONDS", 0.1)
    closed: list[bool] = []
    model.summaries = [lambda seen: gevent.sleep(1) or Answer(STREAM)]
    model.answers = [lambda seen: Answer(trickle(closed))]
    response = alice.ask(long_chat, "first")
    stream = iter(response.response)
    while b"text-delta" not in next(stream):
        pass
    response.close()
    wait_for(is_idle(app))
    wait_for(lambda: closed)


@pytest.mark.settings(**SMALL)
def test_a_summariser_may_be_slow_to_the_end(alice, long_chat, model, monkeypatch):
    """Words that come one by one do not lengthen its time."""
    # On a busy machine the first word may need some of them.
    monkeypatch.setattr(summary, "SUMMARY_SECONDS", 4)
    model.summaries = [lambda seen: Answer(trickle([]))]
    end = alice.turn(long_chat, "first")[-1]["messageMetadata"]
    assert end["compaction"]["stages"] == ["window"]
    assert end["usage"]["summary"]["estimated"] is True


def first_words():
    """How often the model of summaries has begun to write."""
    labels = {"model": "llm-haiku-4-5"}
    return REGISTRY.get_sample_value("model_first_token_seconds_count", labels) or 0


def trickle(closed):
    """Tokens without an end; `closed` is told when nobody reads them any more."""
    events = model_streams.anthropic("word " * 3).split("event: content_block_stop")[0]
    try:
        yield events.encode()
        while True:
            gevent.sleep(0.02)
            yield (
                b"event: ping\ndata: {}\n\n"
                + events[events.index("event: content_block_d") :].encode()
            )
    finally:
        closed.append(True)


@pytest.mark.settings(**SMALL)
def test_who_leaves_during_the_summary_ends_it(app, alice, long_chat, model):
    closed: list[bool] = []
    model.summaries = [lambda seen: Answer(trickle(closed))]
    before = first_words()
    response = alice.ask(long_chat, "first")
    next(iter(response.response))
    wait_for(lambda: first_words() > before)
    response.close()
    wait_for(is_idle(app))
    wait_for(lambda: closed)
    assert (model.turns, summary_of(app, long_chat)) == ([], None)
    assert len(alice.rows(long_chat)) == 40
    entry = alice.get("/api/credits").json["entries"][0]
    assert entry["facts"]["usage"]["summary"]["estimated"] is True


@pytest.mark.settings(**SMALL)
def test_who_leaves_before_the_summary_begins_pays_nothing(app, alice, long_chat, model):
    model.summaries = [lambda seen: gevent.sleep(1) or Answer(STREAM)]
    response = alice.ask(long_chat, "first")
    next(iter(response.response))
    wait_for(lambda: model.asked)
    response.close()
    wait_for(is_idle(app))
    assert alice.get("/api/credits").json["balance"] == 1000


@pytest.mark.settings(**SMALL)
def test_after_three_failures_no_summary_of_the_chat_is_asked_for(app, alice, long_chat, model):
    model.summaries = [FAULTS["a wrong key"]]
    for _ in range(5):
        alice.turn(long_chat, "again")
    assert len(model.asked) == 3
    other = alice.new_chat()
    alice.turn(other, SAID * 28)
    alice.turn(other, "again")
    long_ago = now() - timedelta(seconds=recall.REST_SECONDS + 1)
    with app.app_context(), write_transaction() as session:
        session.execute(update(Summary).values(failed_at=long_ago))
    model.summaries = [text_answer(SUMMARY)]
    alice.turn(long_chat, "again")
    assert len(model.asked) == 4
    assert summary_of(app, long_chat).failures == 0


@pytest.mark.settings(**SMALL)
def test_a_failure_takes_no_summary_away(app, alice, long_chat, model):
    model.summaries = [text_answer(SUMMARY), FAULTS["empty"]]
    alice.turn(long_chat, "first")
    for number in range(3):
        chunks = alice.turn(long_chat, f"{number} " + "more " * 600)
    assert chunks[-1]["messageMetadata"]["compaction"]["stages"] == ["summary", "window"]
    assert SUMMARY in texts(model.turns[-1])[0]
    assert summary_of(app, long_chat).text == SUMMARY


@pytest.mark.settings(starting_credits=1, context_budget=100_000)
def test_a_summary_that_the_credits_do_not_cover_is_not_asked_for(app, alice, chat, model):
    fill(app, alice, chat, 160)
    chunks = alice.turn(chat, "first", modelId="oss-120b")
    assert (text_of(chunks), model.asked) == ("fine", [])
    assert newest_turn(app).compaction["stages"] == ["window"]
    assert summary_of(app, chat) is None


@pytest.mark.settings(summary_model="gen-5.4-nano", token_ceiling_b=2_000, **SMALL)
def test_what_is_summarised_fits_into_its_model(app, alice, chat, model):
    fill(app, alice, chat, 40, content="海" * 700)
    alice.turn(chat, "first")
    asked = texts(model.asked[0])[0]
    assert 1_700 < len(asked.encode()) < 2_100
    assert "[…]" in asked
    assert summary_of(app, chat).text == SUMMARY
