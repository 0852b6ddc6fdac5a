"""What is logged, counted and traced of each request, on an app without anything else."""

import json
import time
from dataclasses import dataclass, field

import gevent
import pytest
from flask import Response

from service.app import Service
from service.observing import request_log, spans
from service.observing.measures import REQUEST_SECONDS, REQUESTS

THING = "/things/<name>"


@dataclass
class SeenSpan:
    """A span, and what became of it."""

    name: str
    parent: str
    attributes: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)
    ends: int = 0

    def set(self, **attributes):
        self.attributes |= attributes

    def fail(self, kind):
        self.failures.append(kind)

    def end(self):
        self.ends += 1


@pytest.fixture
def seen(monkeypatch) -> list[SeenSpan]:
    """The spans of requests."""
    begun = []

    class Tracer:
        def start_request(self, name, traceparent):
            begun.append(SeenSpan(name, traceparent))
            return begun[-1]

    monkeypatch.setattr(spans, "_tracer", Tracer())
    return begun


@pytest.fixture
def client(seen):
    app = Service("alone")
    request_log.init_app(app)

    @app.route(THING, methods=["GET", "POST"])
    def thing(name):
        gevent.sleep(0.02)
        return name

    views = {
        "healthz": lambda: "ok",
        "away": lambda: Response("away", 503),
        "streamed": lambda: Response(iter(["a", "b"])),
        "hangs": lambda: gevent.sleep(60),
    }
    for name, view in views.items():
        app.add_url_rule(f"/{name}", name, view)
    return app.test_client()


@pytest.fixture
def line(capfd):
    return lambda: json.loads(capfd.readouterr().err.splitlines()[-1])


def figures(method, route, status):
    """How often and for how many seconds the route was asked; how often it was answered so."""
    time = REQUEST_SECONDS.labels(route)
    count = sum(bucket.get() for bucket in time._buckets)
    return count, time._sum.get(), REQUESTS.labels(method, route, status)._value.get()


def test_an_answer_is_logged_and_counted_under_its_route(client, line):
    before = figures("POST", THING, 200)
    client.post("/things/private?of=alice", headers={"X-Request-Id": "id-1"}).close()
    logged = line()
    count, seconds, answers = (
        now - then for now, then in zip(figures("POST", THING, 200), before, strict=True)
    )
    assert (count, answers) == (1, 1)
    assert 0.02 <= seconds < 10
    assert logged["ms"] == pytest.approx(seconds * 1000, abs=0.1)
    told = {name: logged[name] for name in ("event", "method", "route", "status", "request_id")}
    assert told == {
        "event": "answered", "method": "POST", "route": THING, "status": 200, "request_id": "id-1",
    }  # fmt: skip
    assert "private" not in str(logged)
    assert "alice" not in str(logged)


def test_an_answer_is_over_when_its_last_byte_is_out(client, seen, capfd):
    answer = client.get("/streamed")
    assert (next(answer.response), seen[0].ends) == (b"a", 0)
    assert "answered" not in capfd.readouterr().err
    answer.close()
    assert seen[0].ends == 1
    assert '"answered"' in capfd.readouterr().err


def test_the_span_of_a_request_has_its_route_and_its_status(client, seen):
    client.get("/things/private?of=alice", headers={"traceparent": "00-1-2-01"}).close()
    client.get("/away").close()
    client.open("/nowhere", method="BREW").close()
    thing, away, odd = seen
    assert (thing.name, thing.parent, thing.ends) == (f"GET {THING}", "00-1-2-01", 1)
    assert thing.attributes == {
        "http__request__method": "GET", "http__route": THING, "url__scheme": "http",
        "http__response__status_code": 200,
    }  # fmt: skip
    assert (away.attributes["http__response__status_code"], away.failures) == (503, ["503"])
    assert (odd.name, odd.failures) == ("_OTHER unmatched", []), "a client's fault is none of ours"


def test_what_machines_ask_all_the_time_has_no_span(client, seen):
    assert client.get("/healthz").status_code == 200
    assert seen == []


def test_a_request_that_is_killed_ends_its_span_as_failed(client, seen, line):
    asking = gevent.spawn(client.get, "/hangs")
    gevent.sleep(0)  # it begins, which may take long
    hangs = time.monotonic()
    while time.monotonic() - hangs < 0.02:
        gevent.sleep(0.005)
    asking.kill()
    logged = line()
    assert (logged["event"], logged["method"], logged["route"]) == ("killed", "GET", "/hangs")
    assert 20 <= logged["ms"] < 10_000
    assert (seen[0].failures, seen[0].ends) == (["killed"], 1)
