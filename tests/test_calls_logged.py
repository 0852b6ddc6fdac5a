"""Each call of an upstream leaves one line: whom it asked and how it ended, and nothing secret."""

import json
from contextlib import suppress

import pytest

from service import attribution
from service.upstream import Outbound, UpstreamError
from tests.services import free_port, on_sqlite
from tests.upstream import Answer

pytestmark = on_sqlite
FIELDS = {"event", "level", "timestamp", "worker", "upstream", "host", "outcome"}


@pytest.fixture
def lines(capsys):
    """The lines so far about calls of upstreams, as they were written and as JSON."""

    def written():
        logged = [line for line in capsys.readouterr().err.splitlines() if line[:1] == "{"]
        return [(line, json.loads(line)) for line in logged if '"called"' in line]

    return written


def call(caller, url, **options):
    """One with a secret wherever a call can have one."""
    headers = {"Authorization": "Bearer canary-header", "Cookie": "canary-cookie"}
    url = url.replace("://", "://canary-user:canary-password@") + "/canary-path?key=canary-query"
    return caller.fetch(Outbound("test", "POST", url, headers, b"canary-body", **options), 1000)


def test_a_line_says_whom_and_how_and_no_more(app, caller, upstream, lines):
    upstream.answers = [Answer(b"canary-answer", headers={"X-Said": "canary-said"})]
    attribution.begin()  # this is nobody's request
    assert call(caller, upstream.url) == (200, b"canary-answer")
    [(text, line)] = lines()
    assert {line["event"], line["upstream"], line["host"]} == {"called", "test", "127.0.0.1"}
    assert (line["outcome"], line["level"]) == ("200", "info")
    assert set(line) == FIELDS
    assert "canary" not in text


def short():
    """Less than it says; the rest never comes."""
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
def test_each_outcome_has_its_word(app, caller, upstream, lines, answer, outcome):
    upstream.answers = [answer]
    with suppress(UpstreamError):
        call(caller, upstream.url, idle=0.5)
    [(text, line)] = lines()
    assert line["outcome"] == outcome
    assert "canary" not in text


def test_nobody_there_is_logged_too(app, caller, lines):
    with pytest.raises(UpstreamError):
        call(caller, f"http://127.0.0.1:{free_port()}")
    [(text, line)] = lines()
    assert line["outcome"] == "unreachable"
    assert "canary" not in text


def test_a_turns_call_belongs_to_its_request(alice, served_by, stream_of, lines):
    served_by.answers = [stream_of("canary answer")]
    response = alice.ask(alice.new_chat(), "canary question")
    assert b"canary" in response.get_data()
    [(text, line)] = lines()
    assert (line["host"], line["outcome"]) == ("127.0.0.1", "200")
    assert line["request_id"] == response.headers["X-Request-Id"]
    assert "canary" not in text  # nor the provider's key, which has it too
