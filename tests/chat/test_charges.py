"""What a turn costs: as told for whole steps, an estimate for one that we cut, nothing for one in
which the provider failed or that it had not taken yet."""

import json

import gevent
import pytest
from sqlalchemy import select, update

from service.billing.models import Entry
from service.chat import autonomous
from service.chat.models import Chat
from service.chat.stream import channel
from service.database.access import write_transaction
from service.extensions import db
from service.generation import model_call
from service.providers.events import ProviderError
from service.providers.tokens import bound, likely
from tests import model_streams
from tests.people import text_of
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer

pytestmark = on_sqlite
COUNTED = {"type": "message_start", "message": {"usage": {"input_tokens": 6000}}}
ROLE = {"choices": [{"delta": {"role": "assistant", "content": ""}}]}
# A model for each wire, the beginning of its answer, and the tokens that it tells of the prompt.
SILENT = {"llm-opus-4-7": (COUNTED, 6000), "gen-5.4": (ROLE, None)}


def sent(event):
    return f"data: {json.dumps(event)}\n\n".encode()


def answer(*events, silence=0.0):
    def body():
        for event in events:
            yield sent(event)
        gevent.sleep(silence)

    return Answer(body())


def leave(person, app, chat, once, **body):
    """A turn whose client leaves once it has come so far."""
    response = person.ask(chat, "x" * 9_000, **body)
    next(iter(response.response))
    [run] = app.extensions["runs"]
    wait_for(lambda: once(run))
    response.close()
    wait_for(lambda: not app.extensions["runs"])


def taken(run, is_counted=False):
    """Whether the model has taken the question, and told of its tokens."""
    trip, _ = run.tally._open or (None, 0)
    return trip and trip.accepted and (trip.counted or not is_counted)


def charged(app, account):
    with app.app_context():
        asked = select(Entry).where(Entry.account == account, Entry.kind == "charge")
        return list(db.session.scalars(asked))


def test_a_whole_turn_is_charged_what_the_provider_said(alice):
    usage = alice.turn(alice.new_chat(), "who am I")[-1]["messageMetadata"]["usage"]
    credits = alice.get("/api/credits").json
    cost = (usage["inputTokens"] * 150 + usage["outputTokens"] * 750) / 1e6
    assert credits["entries"][0]["amount"] == -cost
    assert credits["balance"] == 1000 - cost
    assert credits["held"] == 0


@pytest.mark.parametrize("model", SILENT)
def test_who_leaves_while_the_model_is_silent_pays_for_the_question(alice, app, served_by, model):
    beginning, counted = SILENT[model]
    served_by.answers = [answer(beginning, silence=60)]
    leave(alice, app, alice.new_chat(), lambda run: taken(run, counted), modelId=model)
    [entry] = charged(app, "alice")
    usage = entry.facts["usage"]
    assert usage["estimated"] is True
    assert usage["inputTokens"] == counted or (not counted and usage["inputTokens"] > 2000)


def test_who_leaves_before_the_model_has_taken_the_question_pays_nothing(alice, app, served_by):
    served_by.answers = [lambda seen: gevent.sleep(60) or answer(COUNTED)]
    leave(alice, app, alice.new_chat(), lambda _: served_by.seen)
    assert charged(app, "alice") == []


def test_who_leaves_while_a_busy_provider_is_waited_for_pays_nothing(
    alice, app, served_by, monkeypatch
):
    waiting = []
    monkeypatch.setattr(model_call, "_pause", lambda *given: waiting.append(given) or 5.0)
    served_by.answers = [answer(COUNTED, {"type": "error", "error": {"type": "overloaded_error"}})]
    leave(alice, app, alice.new_chat(), lambda _: waiting)
    assert len(served_by.seen) == 1
    assert charged(app, "alice") == []


def test_who_leaves_once_the_step_is_whole_pays_what_the_provider_said(alice, app, served_by):
    """The channel is full as the step's last chunk is put in."""
    served_by.answers = [Answer(model_streams.anthropic("word " * (channel.MOST_CHUNKS - 4)))]
    leave(alice, app, alice.new_chat(), lambda run: run.channel.full)
    [entry] = charged(app, "alice")
    assert entry.facts["usage"] == {"inputTokens": 10, "outputTokens": 5}


def words(count):
    delta = {"type": "content_block_delta", "index": 0}
    return [{**delta, "delta": {"type": "text_delta", "text": "some words "}}] * count


@pytest.mark.usefixtures("short_silence")
def test_a_step_that_we_cut_costs_the_same_with_and_without_a_caller(alice, app, served_by):
    served_by.answers = [lambda seen: answer(COUNTED, *words(20), silence=60)]
    chunks = alice.turn(alice.new_chat(), "hello")
    assert "took too long" in chunks[-1]["errorText"]
    with app.app_context(), pytest.raises(ProviderError, match="slow"):
        list(autonomous.ask(app, "hello"))
    [ours], [owners] = charged(app, "alice"), charged(app, "owner")
    assert ours.facts["usage"] == owners.facts["usage"]
    said = likely(bound(text_of(chunks)))
    told = {"inputTokens": 6000, "outputTokens": said, "estimated": True}
    assert ours.facts["usage"] == told
    assert ours.amount == owners.amount < 0


def calling(name, arguments, *rest):
    """The chunks of a call, from a host that reports no usage."""
    function = {"name": name, "arguments": arguments}
    call = {"index": 0, "id": "c", "function": function}
    return {"choices": [{"delta": {"tool_calls": [call]}}]}, *rest


def test_the_estimate_of_a_step_includes_its_calls(alice, app, served_by):
    given = json.dumps({"collection": "some words " * 500})
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    served_by.answers = [
        lambda seen: answer(*calling("records__query", given, end)),
        lambda seen: Answer(model_streams.openai("done")),
    ]
    usage = alice.turn(alice.new_chat(), "go", modelId="oss-120b")[-1]["messageMetadata"]["usage"]
    assert usage["estimated"] is True
    assert usage["outputTokens"] >= likely(bound(given))


def test_who_leaves_while_the_model_writes_a_call_pays_for_its_beginning(alice, app, served_by):
    given = '{"collection": "' + "some words " * 500
    served_by.answers = [lambda seen: answer(*calling("records__query", given), silence=60)]
    leave(alice, app, alice.new_chat(), lambda run: run.assembly._calls, modelId="oss-120b")
    [entry] = charged(app, "alice")
    assert entry.facts["usage"]["outputTokens"] >= likely(bound(given))


def test_a_step_in_which_the_provider_fails_costs_nobody_anything(alice, app):
    alice.turn(alice.new_chat(), "/fail error-midway count to 9")
    with app.app_context(), pytest.raises(ProviderError):
        list(autonomous.ask(app, "/fail error-midway count to 9"))
    assert charged(app, "alice") == charged(app, "owner") == []
    assert alice.get("/api/credits").json["held"] == 0


def test_the_steps_before_a_failure_are_paid(alice, app, served_by):
    call = {"type": "tool_use", "id": "c", "name": "user__current", "input": {}}
    served_by.answers = [
        answer(
            COUNTED,
            {"type": "content_block_start", "index": 0, "content_block": call},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "tool_use"},
                "usage": {"output_tokens": 4},
            },
            {"type": "message_stop"},
        ),
        answer(COUNTED, *words(3)),
    ]
    assert "broke off" in alice.turn(alice.new_chat(), "hello")[-1]["errorText"]
    [entry] = charged(app, "alice")
    assert entry.facts["usage"] == {"inputTokens": 6000, "outputTokens": 4}


def test_a_call_that_the_host_refuses_at_once_costs_nothing(alice, app, served_by):
    refused = '{"error":{"code":"tool_use_failed","failed_generation":"user__current()"}}'
    served_by.answers = [Answer(refused, "400 Bad Request"), Answer(model_streams.openai("fine"))]
    alice.turn(alice.new_chat(), "hello", modelId="oss-120b")
    [entry] = charged(app, "alice")
    assert entry.facts["usage"] == {"inputTokens": 10, "outputTokens": 5}


def test_who_cannot_afford_a_long_history_may_afford_a_shorter_one(alice, app):
    chat = alice.new_chat()
    with app.app_context(), write_transaction() as session:
        session.execute(update(Chat).values(history_tokens=10_000_000))
    assert text_of(alice.turn(chat, "repeat after me: yes")) == "yes"


def with_pings(text):
    """Yield a message whose texts come one by one, with a ping behind each of them."""
    for event in model_streams.anthropic_events(text):
        for one in (event, {"type": "ping"}):
            yield sent(one)
            gevent.sleep(0.05)


def test_an_autonomous_answer_is_whole_beside_events_without_text(app, served_by):
    served_by.answers = [Answer(with_pings("one two three four five"))]
    with app.app_context():
        told = "".join(autonomous.ask(app, "count to five", "llm-sonnet-4-6"))
    assert told == "one two three four five"
