"""Each call of an upstream logs one line with its host and outcome, and no secret."""

import json
import sys
from contextlib import suppress

import gevent
import pytest

from service.observing import attribution
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound
from tests.assistant import endpoint_calls
from tests.services import free_port, on_sqlite, wait_for
from tests.upstream import Answer

pytestmark = on_sqlite
FIELDS = {"event", "level", "timestamp", "worker", "upstream", "host", "outcome"}


@pytest.fixture
def lines(capsys):
    """Return the lines logged so far about calls of upstreams, as text and as JSON."""

    def read():
        logged = [line for line in capsys.readouterr().err.splitlines() if line[:1] == "{"]
        return [(line, json.loads(line)) for line in logged if '"called"' in line]

    return read


def call(caller, url, **options):
    """Make a call with a secret in every place that can hold one."""
    headers = {"Authorization": "Bearer canary-header", "Cookie": "canary-cookie"}
    url = url.replace("://", "://canary-user:canary-password@") + "/canary-path?key=canary-query"
    return caller.fetch(Outbound("test", "POST", url, headers, b"canary-body", **options), 1000)


def test_a_line_has_the_host_and_the_outcome_and_no_more(app, caller, upstream, lines):
    upstream.answers = [Answer(b"canary-answer", headers={"X-Said": "canary-said"})]
    attribution.begin()  # this is nobody's request
    assert call(caller, upstream.url) == (200, b"canary-answer")
    [(text, line)] = lines()
    assert {line["event"], line["upstream"], line["host"]} == {"called", "test", "127.0.0.1"}
    assert (line["outcome"], line["level"]) == ("200", "info")
    assert set(line) == FIELDS
    assert "canary" not in text


def short():
    """A body shorter than its declared length; the rest never arrives."""
    return Answer(b"canary", headers={"Content-Length": "100"})


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Answer(b"canary", "503 Busy"), "503"),
        (short(), "timeout"),
        (Answer(b"c" * 1001), "too-large"),
    ],
    ids=["503", "timeout", "too-large"],
)
def test_the_line_names_the_outcome(app, caller, upstream, lines, answer, outcome):
    upstream.answers = [answer]
    with suppress(UpstreamError):
        call(caller, upstream.url, idle=0.5)
    [(text, line)] = lines()
    assert line["outcome"] == outcome
    assert "canary" not in text


def test_a_call_that_is_given_up_is_logged(app, caller, upstream, lines):
    upstream.answers = [lambda seen: gevent.sleep(60)]
    calling = gevent.spawn(call, caller, upstream.url)
    wait_for(lambda: upstream.seen)
    calling.kill()
    [(text, line)] = lines()
    assert line["outcome"] == "failed"
    assert "canary" not in text


def test_an_unreachable_host_is_logged_with_the_cause(app, caller, upstream, lines):
    """The cures differ: a server that is down, a name, a certificate, a port that speaks no TLS."""
    refused = f"http://127.0.0.1:{free_port()}"
    for url in (refused, "http://no..name", upstream.url.replace("http:", "https:")):
        with pytest.raises(UpstreamError):
            call(caller, url)
    told = lines()
    assert [line["outcome"] for _, line in told] == ["unreachable"] * 3
    assert [line["cause"] for _, line in told] == [
        "ConnectionRefusedError",
        "UnicodeError" if sys.version_info < (3, 13) else "UnicodeEncodeError",
        "SSLError",
    ]
    assert "canary" not in str(told)


def test_a_turns_call_belongs_to_its_request(alice, served_by, stream_of, lines):
    served_by.answers = [stream_of("canary answer")]
    response = alice.ask(alice.new_chat(), "canary question")
    assert b"canary" in response.get_data()
    [(text, line)] = lines()
    assert (line["host"], line["outcome"]) == ("127.0.0.1", "200")
    assert line["request_id"] == response.headers["X-Request-Id"]
    assert "canary" not in text  # nor the provider's key, which has it too


def test_an_endpoint_is_named_in_the_lines_of_its_own_requests_only(alice, served_by, lines):
    served_by.answers = [endpoint_calls.call("geocode-city", city="Berlin"), endpoint_calls.DONE]
    alice.ask(alice.new_chat(), "Where is Berlin?").get_data()
    named = [(line["upstream"], line.get("endpoint")) for _, line in lines()]
    assert named == [("provider-A", None), ("open-meteo", "geocode-city"), ("provider-A", None)]
