"""Traces at a real collector: the tree of a turn, what no span says, and a collector that fails."""

import json
import time
from datetime import datetime
from itertools import pairwise

import gevent
import pytest
import requests

from service.ids import new_id
from service.observing.logs import redactor
from service.tracing.encoding import TEXT_LIMIT, SpanFacts, encode
from service.tracing.exporter import EXPORT_SECONDS, QUIET_SECONDS
from tests.faults.client import client_of
from tests.services import ENVIRONMENT, SECRET, wait_for
from tests.upstream import Answer, ScriptedUpstream

WORDS = "pelican crossing"
CALL = f'call integrations.call with {{"endpoint": "geocode-city", "body": {{"city": "{WORDS}"}}}}'
PARENT = "0af7651916cd43dd8448eb211c80319c"
TRACE = f"traceparent: 00-{PARENT}-b7ad6b7169203331-01\r\n"


class Collector(ScriptedUpstream):
    """Takes every export."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = [Answer("{}")]

    @property
    def spans(self) -> list[dict]:
        exports = [seen.json["resourceSpans"][0]["scopeSpans"][0]["spans"] for seen in self.seen]
        return [span for spans in exports for span in spans]

    @property
    def text(self) -> str:
        return b"\n".join(seen.body for seen in self.seen).decode()

    def named(self, name: str) -> dict:
        return next((span for span in self.spans if span["name"] == name), {})


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.stop()


@pytest.fixture
def traced(start, collector):
    """Start the service with the sandbox's models, and traces on."""

    def starting(**values: object):
        given = {"PROVIDER_A_API_KEY": "", "PROVIDER_A_BASE_URL": "", **values}
        url = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
        return start(**{**url, **given})

    return starting


def attributes(span: dict) -> dict:
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def dropped_spans(service) -> float:
    text = requests.get(f"{service.url}/metrics", timeout=15).text
    lines = [line for line in text.splitlines() if line.startswith("trace_spans_dropped_total ")]
    return sum(float(line.split()[1]) for line in lines)


def turn(service, content: str = CALL) -> None:
    client = client_of(service)
    body = {"chatId": client.new_chat(), "userMessageId": new_id("u"), "content": content}
    asked = client.send("POST", "/api/ai/chat", body, TRACE)
    assert asked.chunks[-1]["type"] == "finish"


def test_a_turn_is_a_tree_of_spans_without_words(traced, collector):
    service = traced(OTEL_EXPORTER_OTLP_HEADERS="x-key=a%20long%20secret")
    turn(service)
    wait_for(lambda: collector.named("POST /api/ai/chat"))
    by_id = {span["spanId"]: span for span in collector.spans}
    assert {seen.headers["x-key"] for seen in collector.seen} == {"a long secret"}

    def above(span: dict) -> list[str]:
        parent = by_id.get(span["parentSpanId"])
        return [span["name"], *(above(parent) if parent else [])]

    call = collector.named("call geocode-city")
    of_turn = ["invoke_agent assistant", "POST /api/ai/chat"]
    assert above(call) == ["call geocode-city", "execute_tool integrations.call", *of_turn]
    trips = [span for span in by_id.values() if span["name"].startswith("chat ")]
    assert [above(trip)[1:] for trip in trips] == [of_turn, of_turn]
    assert {span["traceId"] for span in (*trips, call)} == {PARENT}
    known = attributes(trips[0])
    assert known["gen_ai.operation.name"] == "chat"
    assert int(known["gen_ai.usage.output_tokens"]) > 0
    assert known["gen_ai.response.time_to_first_chunk"] >= 0
    assert (attributes(call)["app.payer"], attributes(call)["app.door"]) == ("user", "chat")
    assert attributes(collector.named(of_turn[1]))["http.response.status_code"] == "200"
    assert WORDS not in collector.text
    assert "alice" not in collector.text


def test_words_are_in_spans_where_the_operator_wants_them(traced, collector):
    turn(traced(OTEL_CONTENT=1))
    wait_for(lambda: collector.named("POST /api/ai/chat"))
    trip = next(span for span in collector.spans if span["name"].startswith("chat "))
    said = json.loads(attributes(trip)["gen_ai.input.messages"])
    assert WORDS in said[-1]["parts"][0]["content"]
    tool = attributes(collector.named("execute_tool integrations.call"))
    assert WORDS in tool["gen_ai.tool.call.arguments"]


def test_no_span_has_a_secret_of_the_service(traced, collector):
    """Not where words are recorded, and somebody has pasted what only the operator may know."""
    turn(traced(OTEL_CONTENT=1), f"{WORDS} {SECRET} {ENVIRONMENT['OWNER_TOKEN']}")
    wait_for(lambda: collector.named("POST /api/ai/chat"))
    assert f"{WORDS} [secret] [secret]" in collector.text
    assert SECRET not in collector.text
    assert ENVIRONMENT["OWNER_TOKEN"] not in collector.text


def test_a_long_text_is_not_cut_within_a_secret(monkeypatch):
    monkeypatch.setattr(redactor, "pattern", None)
    redactor.hide([SECRET])
    text = "x" * (TEXT_LIMIT - len(SECRET) // 2) + SECRET
    span = SpanFacts("chat", "client", "1" * 32, "2" * 16, "", 0, attributes={"said": text})
    said = attributes(json.loads(encode(span)))["said"]
    assert len(said) == TEXT_LIMIT - len(SECRET) // 2 + len("[secret]")
    assert said.endswith("x[secret]")


def test_two_workers_send_what_they_have_before_they_end(traced, collector):
    service = traced(kind="postgresql", WEB_CONCURRENCY=2)
    both = {str(pid) for pid in service.workers}
    client, seen = client_of(service), 0

    def pids() -> set[str]:
        resources = [one.json["resourceSpans"][0]["resource"] for one in collector.seen]
        return {attributes(resource)["process.pid"] for resource in resources}

    def asked() -> bool:
        nonlocal seen
        seen += 1
        client.json("GET", "/api/ai/models")
        return pids() == both

    wait_for(asked, 40)
    service.stop()
    wait_for(lambda: sum("models" in span["name"] for span in collector.spans) == seen)


def test_a_collector_that_is_away_costs_only_spans(traced, collector):
    collector.stop()
    service = traced()
    turn(service)
    wait_for(lambda: dropped_spans(service))
    before = dropped_spans(service)
    turn(service)
    wait_for(lambda: dropped_spans(service) > before)
    service.stop()
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line[:1] == "{"]
    told = [line["timestamp"] for line in lines if line["event"] == "spans dropped"]
    assert told, "or nobody would know"
    for earlier, later in pairwise(map(datetime.fromisoformat, told)):
        assert (later - earlier).total_seconds() > QUIET_SECONDS - 1


def test_a_collector_that_never_answers_holds_nothing_up(traced, collector):
    asked = []

    def hang(seen):
        asked.append(seen)
        gevent.sleep(3600)

    collector.answers = [hang]
    service = traced()
    turn(service)
    wait_for(lambda: asked)

    def ends_soon() -> bool:
        began = time.monotonic()
        turn(service)
        return time.monotonic() - began < EXPORT_SECONDS

    wait_for(ends_soon)  # a turn that waits for the collector never does
    wait_for(lambda: dropped_spans(service), 4 * EXPORT_SECONDS)
    wait_for(lambda: len(asked) > 1)
    service.stop(seconds=4 * EXPORT_SECONDS)
