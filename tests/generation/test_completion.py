"""A model's whole answer as one text: its cost, its time limit, its faults."""

import json

import gevent
import pytest
from gevent.event import Event

from config import load
from service.billing import prices
from service.generation import completion, model_call
from service.outbound.upstream import Upstream
from service.providers.catalog import models
from service.providers.events import ProviderError, Usage
from service.web.errors import NotConfigured
from tests import model_streams
from tests.services import wait_for
from tests.upstream import Answer

A, C = "llm-haiku-4-5", "oss-120b"
TEXT = "Three papers agree."


@pytest.fixture
def ask(upstream, caller: Upstream):
    """Asks one model of the scripted upstream; `ask.trip` is its last round trip."""
    return Asker(upstream, caller)


class Asker:
    def __init__(self, upstream, caller):
        self.upstream, self.caller, self.trip = upstream, caller, None

    def __call__(self, model=A, seconds=5.0):
        urls = {f"PROVIDER_{kind}_BASE_URL": self.upstream.url for kind in "AC"}
        keys = {f"PROVIDER_{kind}_API_KEY": "k" for kind in "AC"}
        known = models(load(urls | keys))
        self.trip = completion.prepare(known, model, "Summarize.", "a paper", max_output_tokens=50)
        return completion.complete(self.caller, self.trip, seconds)


class Trickle:
    """Words without an end; `closed` once nobody reads them any more."""

    def __init__(self):
        self.closed = False

    def __call__(self, _seen):
        return Answer(self._body())

    def _body(self):
        begin, more = model_streams.anthropic("word").split("event: content_block_delta")
        delta = "event: content_block_delta" + more.split("event: content_block_stop")[0]
        try:
            yield begin.encode()
            while True:
                yield delta.encode()
                gevent.sleep(0.02)
        finally:
            self.closed = True


def fault(ask, **options):
    with pytest.raises(ProviderError) as raised:
        ask(**options)
    return raised.value.fault


def test_an_answer_comes_with_its_usage_and_its_cost(ask):
    ask.upstream.answers = [Answer(model_streams.anthropic(TEXT))]
    answer = ask()
    assert (answer.text, answer.reason, ask.trip.usage) == (TEXT, "stop", Usage(10, 5))
    assert ask.trip.cost == prices.cost(A, 10, 5)
    assert 0 < ask.trip.cost < ask.trip.max_cost


def test_two_texts_of_one_answer_are_two_paragraphs(ask):
    """An empty one between them is none."""
    texts = {"content": [{"type": "text", "text": text} for text in ("One.", "", "Two.")]}
    begin, *_, reason, stop = model_streams.anthropic_events("")
    events = [{**begin, "message": {**begin["message"], **texts}}, reason, stop]
    ask.upstream.answers = [Answer("".join(f"data: {json.dumps(e)}\n\n" for e in events))]
    assert ask().text == "One.\n\nTwo."


def test_the_model_is_sent_both_texts_and_no_tools(ask):
    ask.upstream.answers = [Answer(model_streams.openai(TEXT))]
    assert ask(C).text == TEXT
    sent = ask.upstream.seen[0].json
    assert [m["content"] for m in sent["messages"]] == ["Summarize.", "a paper"]
    assert (sent["max_tokens"], "tools" in sent) == (50, False)


def test_when_the_time_is_over_the_connection_is_closed_and_the_cost_estimated(ask):
    words = Trickle()
    ask.upstream.answers = [words]
    assert fault(ask, seconds=2) == "slow"
    wait_for(lambda: words.closed)
    assert ask.trip.is_estimated
    assert "word" in str(ask.trip.text)
    assert prices.cost(A, 10, 0) < ask.trip.cost < ask.trip.max_cost


def test_a_model_that_has_not_begun_when_the_time_is_over_costs_nothing(ask):
    go_on = Event()
    ask.upstream.answers = [lambda _seen: go_on.wait(60) and Answer(model_streams.anthropic(TEXT))]
    assert fault(ask, seconds=0.2) == "slow"
    assert ask.trip.cost == 0
    go_on.set()


def test_pauses_between_tries_count_against_the_time(ask):
    ask.upstream.answers = [Answer("{}", "503 Service Unavailable")]
    assert fault(ask, seconds=0.2) == "slow"
    assert len(ask.upstream.seen) == 1


def test_an_answer_is_whole_though_its_connection_stays_open(ask):
    def body():
        yield model_streams.openai(TEXT).removesuffix("data: [DONE]\n\n").encode()
        gevent.sleep(60)

    ask.upstream.answers = [Answer(body())]
    assert ask(C, seconds=2).text == TEXT
    assert ask.trip.cost == prices.cost(C, 10, 5)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer("{}", "401 Unauthorized"), "refused-key"),
        (Answer("{}", "400 Bad Request"), "refused-request"),
        (Answer("{}", "500 Internal Server Error"), "down"),
        (Answer("<html>"), "cut"),
        (Answer(model_streams.anthropic(TEXT).partition("event: message_stop")[0]), "cut"),
    ],
    ids=["key", "request", "down", "html", "cut"],
)
def test_what_the_provider_refuses_or_breaks_off_costs_nothing(ask, monkeypatch, answer, expected):
    monkeypatch.setattr(model_call, "sleep", lambda seconds=0: None)
    ask.upstream.answers = [answer]
    assert fault(ask) == expected
    assert ask.trip.cost == 0


def test_a_busy_provider_is_asked_again(ask, monkeypatch):
    monkeypatch.setattr(model_call, "sleep", lambda seconds=0: None)
    ask.upstream.answers = [Answer("{}", "529 Overloaded"), Answer(model_streams.anthropic(TEXT))]
    assert ask().text == TEXT


def test_a_wait_that_the_callers_time_does_not_allow_is_not_begun(ask):
    ask.upstream.answers = [Answer("{}", "429 Too Many Requests", {"Retry-After": "15"})]
    assert (fault(ask, model=C, seconds=15), len(ask.upstream.seen)) == ("busy", 1)


def test_a_caller_that_is_ended_leaves_the_cost_so_far(ask):
    words = Trickle()
    ask.upstream.answers = [words]
    asking = gevent.spawn(ask, seconds=60)
    wait_for(lambda: ask.trip and "word" in str(ask.trip.text))
    asking.kill()
    wait_for(lambda: words.closed)
    assert prices.cost(A, 10, 0) < ask.trip.cost < ask.trip.max_cost


def test_a_model_without_a_key_is_not_asked():
    with pytest.raises(NotConfigured, match="PROVIDER_A_API_KEY"):
        completion.prepare(models(load({})), A, "Summarize.", "a paper", max_output_tokens=50)
