"""A turn that receives a text has no greenlet, and all its endings work nevertheless."""

import gc
import json
from types import SimpleNamespace

import gevent
import pytest
from gevent.event import Event
from urllib3 import HTTPHeaderDict

from service.chat.turn import pump
from service.generation import pace
from service.generation.pace import STREAK
from service.observing import attribution
from tests.people import chunks_of, text_of, types
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer

pytestmark = on_sqlite
WORDS = ["one ", "two ", "three ", "four "]
CALL = {"index": 0, "id": "c", "function": {"name": "user__current", "arguments": "{}"}}


def event(delta, finish=None):
    choice = {"delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]})}\n\n".encode()


def slow(*pieces, gap=0.03):
    for piece in pieces:
        yield piece
        gevent.sleep(gap)


def words(*said):
    return [event({"content": word}) for word in said]


@pytest.fixture
def parked(monkeypatch):
    """The turns that were parked so far, each as often as it was."""
    runs, park = [], pump._park

    def noted(app, run, answer, arrivals):
        runs.append(run)
        return park(app, run, answer, arrivals)

    monkeypatch.setattr(pump, "_park", noted)
    return runs


@pytest.fixture
def says(served_by):
    """Has the model say the pieces, then wait for the event before it says the rest."""

    def answer(*pieces, then=(), gap=0.03, headers=None):
        go_on = Event()

        def body():
            yield from slow(*pieces, gap=gap)
            go_on.wait()
            yield from then

        served_by.answers = [Answer(body(), headers=headers or {})]
        return go_on

    return answer


def ended(*rest):
    return [*rest, event({}, "stop"), b"data: [DONE]\n\n"]


def ask(person, chat, until):
    """A turn that has said so, and the rest of its stream."""
    response = person.ask(chat, "x", modelId="gen-5.4")
    stream, read = iter(response.response), b""
    while until.encode() not in read:
        read += next(stream)
    return stream, read


def carriers():
    """The greenlets of turns that are alive."""
    found = [one for one in gc.get_objects() if isinstance(one, gevent.Greenlet)]
    return [one for one in found if one._run is pump.run_turn and not one.dead]


def test_a_slow_text_has_no_greenlet_until_it_ends(alice, chat, says, parked):
    go_on = says(*words(*WORDS), then=ended())
    stream, read = ask(alice, chat, "four ")
    assert len(parked) == 1
    assert carriers() == []
    go_on.set()
    chunks = chunks_of(read + b"".join(stream))
    assert text_of(chunks) == "".join(WORDS)
    assert types(chunks)[-1] == "finish"
    assert alice.rows(chat)[1]["content"] == "".join(WORDS)


def test_a_slow_text_keeps_no_headers_of_its_model(alice, chat, says):
    go_on = says(*words(*WORDS), then=ended(), headers={"X-Policy": "long"})
    stream, _ = ask(alice, chat, "four ")
    heads = [one for one in gc.get_objects() if type(one) is HTTPHeaderDict and "X-Policy" in one]
    assert heads == []
    go_on.set()
    list(stream)


def test_a_call_behind_a_text_is_run_and_its_step_parks_anew(alice, chat, served_by, parked):
    first = [*words(*WORDS[:2]), event({"tool_calls": [CALL]}), event({}, "tool_calls")]
    served_by.answers = [
        Answer(slow(*first, b"data: [DONE]\n\n")),
        Answer(slow(*words(*WORDS[2:]), *ended())),
    ]
    chunks = alice.turn(chat, "x", modelId="gen-5.4")
    assert types(chunks).count("tool-output-available") == 1
    assert text_of(chunks) == "".join(WORDS)
    assert len(parked) == 2


def test_the_facts_of_a_turn_are_those_of_its_next_greenlet(alice, chat, says, parked, monkeypatch):
    store, facts = pump.storing.store, []

    def noted(*arguments):
        facts.append(attribution.current_facts())
        return store(*arguments)

    monkeypatch.setattr(pump.storing, "store", noted)
    go_on = says(*words(*WORDS), then=ended())
    stream, _ = ask(alice, chat, "four ")
    go_on.set()
    list(stream)
    assert facts[0]["turn_id"] == parked[0].question.turn_id
    assert {"request_id", "chat", "model"} <= facts[0].keys()


def test_a_stop_ends_a_parked_turn_and_closes_its_connection(alice, chat, says, parked):
    says(*words(*WORDS))
    stream, read = ask(alice, chat, "four ")
    assert len(parked) == 1
    assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": True}
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "abort"
    assert alice.rows(chat)[1]["content"] == "".join(WORDS)
    wait_for(lambda: parked[0].is_closed)


def test_a_parked_turn_whose_client_leaves_is_stored(alice, chat, app, says, parked):
    says(*words(*WORDS))
    response = alice.ask(chat, "x", modelId="gen-5.4")
    read = b""
    for piece in response.response:
        read += piece
        if b"four " in read:
            break
    assert len(parked) == 1
    response.close()
    wait_for(lambda: len(app.extensions["runs"]) == 0)
    assert alice.rows(chat)[1]["content"] == "".join(WORDS)


@pytest.mark.usefixtures("short_silence")
def test_a_model_that_falls_silent_in_a_parked_turn_is_too_slow(alice, chat, says, parked):
    says(*words(*WORDS))
    stream, read = ask(alice, chat, "four ")
    assert len(parked) == 1
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "error"
    assert "took too long" in chunks[-1]["errorText"]


def test_a_connection_that_breaks_off_ends_a_parked_turn(alice, chat, says, parked):
    go_on = says(*words(*WORDS))
    stream, read = ask(alice, chat, "four ")
    assert len(parked) == 1
    go_on.set()
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "error"
    assert "broke off" in chunks[-1]["errorText"]


def test_a_fast_text_is_read_at_intervals_by_a_greenlet(
    alice, chat, served_by, parked, monkeypatch
):
    """A new greenlet for each piece would cost more than the one that is kept."""
    monkeypatch.setattr(pace, "FAST", 60)  # so that each piece is fast, however busy the machine is
    intervals = []

    def sleep(seconds):
        intervals.append(seconds)
        gevent.sleep(seconds)

    monkeypatch.setattr(pace, "gevent", SimpleNamespace(sleep=sleep))
    count = 20 * STREAK
    said = [f"{n} " for n in range(count)]
    served_by.answers = [Answer(slow(*words(*said), *ended(), gap=0.002))]
    chunks = alice.turn(chat, "x", modelId="gen-5.4")
    assert text_of(chunks) == "".join(said)
    assert len(parked) <= 2
    assert set(intervals) == {pace.INTERVAL}
