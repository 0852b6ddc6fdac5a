"""A busy provider is asked again, but never once something has been shown."""

import pytest

from service.chat import model_call
from tests import recorded
from tests.people import text_of, types
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


@pytest.mark.parametrize("busy", BUSY.values(), ids=BUSY)
def test_two_busy_answers_are_followed_by_a_third_try(served_by, alice, stream_of, busy, pauses):
    served_by.answers = [busy, busy, stream_of("at last")]
    chunks = alice.turn(alice.new_chat(), "hello")
    assert text_of(chunks) == "at last"
    assert types(chunks).count("start") == types(chunks).count("start-step") == 1
    assert len(served_by.seen) == 3


def test_three_busy_answers_are_the_end(served_by, alice, pauses):
    served_by.answers = [BUSY["529"]]
    chunks = alice.turn(alice.new_chat(), "hello")
    assert "busy right now" in chunks[-1]["errorText"]
    assert len(served_by.seen) == 3


def test_the_hosts_own_patience_counts(served_by, alice, stream_of, pauses):
    asked = Answer("{}", "429 Too Many Requests", {"Retry-After": "3"})
    served_by.answers = [asked, stream_of("ok")]
    alice.turn(alice.new_chat(), "hello")
    assert 3 <= max(pauses) < 3.5


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
    broken = recorded.anthropic("begun").split("event: content_block_stop")[0] + OVERLOADED
    served_by.answers = [Answer(broken)]
    chunks = alice.turn(alice.new_chat(), "hello")
    assert (text_of(chunks), types(chunks)[-1]) == ("begun", "error")
    assert len(served_by.seen) == 1
