"""A busy provider is asked again, but never once something has been shown."""

import time
from email.utils import formatdate
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from service.chat.stream import reader
from service.generation import deadline, model_call
from tests import model_streams
from tests.people import chunks_of, text_of, types
from tests.services import on_sqlite
from tests.upstream import Answer

pytestmark = on_sqlite
OVERLOADED = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'
BUSY = {
    "429": Answer("{}", "429 Too Many Requests", {"Retry-After": "0"}),
    "529": Answer("{}", "529 Overloaded"),
    "500": Answer("{}", "500 Internal Server Error"),
    "overloaded as the first event": Answer(OVERLOADED),
}


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that would have been made, in seconds; none is."""
    made: list[float] = []
    monkeypatch.setattr(model_call, "sleep", lambda seconds=0: made.append(seconds))
    return made


@pytest.fixture
def clock(monkeypatch):
    """Pauses take no time, but the deadline has lost it."""
    gone: list[float] = [0.0]
    now = time.monotonic

    def pause(seconds: float) -> None:
        gone[0] += seconds

    monkeypatch.setattr(model_call, "sleep", pause)
    ticking = SimpleNamespace(monotonic=lambda: now() + gone[0])
    monkeypatch.setattr(deadline, "time", ticking)


@pytest.mark.parametrize("busy", BUSY.values(), ids=BUSY)
def test_two_busy_answers_are_followed_by_a_third_try(served_by, alice, stream_of, busy, pauses):
    served_by.answers = [busy, busy, stream_of("at last")]
    chunks = alice.turn(alice.new_chat(), "hello")
    assert text_of(chunks) == "at last"
    assert types(chunks).count("start") == types(chunks).count("start-step") == 1
    assert len(served_by.seen) == 3


@pytest.mark.parametrize(
    ("status", "told"), [("529", "busy right now"), ("500", "has a problem right now")]
)
def test_a_third_busy_answer_ends_the_turn(served_by, alice, status, told, pauses):
    served_by.answers = [BUSY[status]]
    chunks = alice.turn(alice.new_chat(), "hello")
    assert told in chunks[-1]["errorText"]
    assert len(served_by.seen) == 3


@pytest.mark.parametrize(("body", "status"), [("{}", "429 Too Many"), (OVERLOADED, "200 OK")])
def test_the_pause_that_a_host_asks_for_is_waited(
    served_by, alice, stream_of, pauses, body, status
):
    served_by.answers = [Answer(body, status, {"Retry-After": "3"}), stream_of("ok")]
    alice.turn(alice.new_chat(), "hello")
    assert 3 <= max(pauses) < 3.5


WAITS = {  # seconds that a host asks for, by model: of A the first content is due after 30
    ("oss-120b", "15"): 3, ("oss-120b", "30"): 3, ("oss-120b", "31"): 1,
    ("llm-sonnet-4-6", "20"): 2, ("llm-sonnet-4-6", "25"): 1,
}  # fmt: skip


@pytest.mark.parametrize(("asked", "tries"), WAITS.items(), ids=map(" ".join, WAITS))
def test_a_pause_is_waited_if_it_leaves_time_for_an_answer(served_by, alice, clock, asked, tries):
    model, seconds = asked
    served_by.answers = [Answer("{}", "429 Too Many Requests", {"Retry-After": seconds})]
    chunks = alice.turn(alice.new_chat(), "hello", modelId=model)
    assert (chunks[-1]["type"], len(served_by.seen)) == ("error", tries)


def test_a_stop_ends_the_wait_which_keeps_the_stream_alive(served_by, alice, monkeypatch):
    monkeypatch.setattr(reader, "KEEP_ALIVE_SECONDS", 0.1)
    served_by.answers = [Answer("{}", "429 Too Many Requests", {"Retry-After": "30"})]
    chat, began = alice.new_chat(), time.monotonic()
    stream, read = iter(alice.ask(chat, "hello", modelId="oss-120b").response), b""
    while read.count(b": keep-alive") < 2:
        read += next(stream)
    alice.post(f"/api/ai/chat/{chat}/stop")
    assert types(chunks_of(read + b"".join(stream)))[-1] == "abort"
    assert time.monotonic() - began < 25
    assert len(served_by.seen) == 1


def test_a_host_that_wants_a_minute_is_not_waited_for(served_by, alice, pauses):
    served_by.answers = [Answer("{}", "429 Too Many Requests", {"Retry-After": "60"})]
    assert alice.turn(alice.new_chat(), "hello")[-1]["type"] == "error"
    assert len(served_by.seen) == 1


REFUSED = ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found"]


@pytest.mark.parametrize("status", REFUSED)
def test_a_refusal_is_not_repeated(served_by, alice, status):
    served_by.answers = [Answer("{}", status)]
    assert alice.turn(alice.new_chat(), "hello")[-1]["type"] == "error"
    assert len(served_by.seen) == 1


def test_after_the_first_word_nothing_is_repeated(served_by, alice):
    broken = model_streams.anthropic("begun").split("event: content_block_stop")[0] + OVERLOADED
    served_by.answers = [Answer(broken)]
    chunks = alice.turn(alice.new_chat(), "hello")
    assert (text_of(chunks), types(chunks)[-1]) == ("begun", "error")
    assert len(served_by.seen) == 1


@pytest.mark.parametrize("told", ["1.5", "date"])
def test_a_pause_may_be_a_fraction_or_a_date(served_by, alice, stream_of, pauses, told):
    value = formatdate(time.time() + 15, usegmt=True) if told == "date" else told
    asked = Answer("{}", "429 Too Many Requests", {"Retry-After": value})
    served_by.answers = [asked, stream_of("ok")]
    alice.turn(alice.new_chat(), "hello")
    assert 1.5 <= max(pauses) < (15.5 if told == "date" else 2)


QUOTA = '{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"canary"}}'
CREDIT = '{"error":{"message":"Your credit balance is too low to access the Anthropic API."}}'
OPERATORS = {
    "an empty account of B": (QUOTA, "429 Too Many Requests"),
    "an empty account of A": (CREDIT, "400 Bad Request"),
    "an unknown model": ('{"error":{"message":"model: canary"}}', "404 Not Found"),
    "a wrong key": ("{}", "401 Unauthorized"),
}


@pytest.mark.parametrize(("body", "status"), OPERATORS.values(), ids=OPERATORS)
def test_an_error_that_only_the_operator_can_correct_is_reported_at_once(
    served_by, alice, pauses, body, status
):
    served_by.answers = [Answer(body, status, {"Retry-After": "0"})]
    with capture_logs() as logged:
        chunks = alice.turn(alice.new_chat(), "hello")
    assert "operator must act" in chunks[-1]["errorText"]
    assert (len(served_by.seen), pauses) == (1, [])
    [line] = [entry for entry in logged if entry["log_level"] == "error"]
    assert (line["provider"], line["model"]) == ("A", "claude-sonnet-4-6")
    assert "canary" not in str(logged)


@pytest.mark.parametrize("model", ["llm-sonnet-4-6", "gen-5.4", "oss-120b"])
def test_a_provider_is_told_a_name_that_says_nothing_of_the_user(
    served_by, alice, bob, stream_of, model
):
    served_by.answers = [stream_of("ok")]
    for person in (alice, alice, bob):
        person.turn(person.new_chat(), "hello", modelId=model)
    bodies = [seen.json for seen in served_by.seen]
    first, again, other = (b.get("metadata") or b.get("safety_identifier") for b in bodies)
    assert "alice" not in str(bodies)
    assert first == again
    assert (first != other and first and other) if model != "oss-120b" else first is other is None
