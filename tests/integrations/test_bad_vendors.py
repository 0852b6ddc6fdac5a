"""Vendors that answer badly, late or not at all, and callers that try to steer our requests.

A GET (codehost) and a POST that costs (neuralsearch) stand for all endpoints.
"""

import gzip
import json
import time
import zlib
from email.utils import formatdate

import gevent
import pytest

from service.integrations.calling import sending
from service.integrations.declare.example import File
from service.integrations.declare.request import Outgoing
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

GET = ("codehost-get-repository", {"owner": "octocat", "repo": "Hello-World"})
POST = ("neuralsearch-search", {"query": "a"})
both = pytest.mark.parametrize(("endpoint", "body"), [GET, POST], ids=["get", "post"])
REPOSITORY = json.loads(File("github/repository.json").content())
PAGES = json.loads(File("exa/search.json").content())
GOOD = {GET[0]: REPOSITORY, POST[0]: PAGES}
LIMIT = Outgoing().limit  # bytes


def zipped(body):
    return Said(gzip.compress(json.dumps(body).encode()), headers={"Content-Encoding": "gzip"})


def dripping(pause):
    def drip():
        while True:
            gevent.sleep(pause)
            yield b" "

    return Said(drip(), length=1000)


NO_JSON = (
    b"<html>Bad gateway</html>", b"", b"\xff\xfe", b'{"a": NaN}', b'{"a": 1e999}', b"[" * 100_000,
)  # fmt: skip


@pytest.fixture
def balance(alice):
    return lambda: alice.get("/api/credits").json["balance"]


@both
def test_what_is_no_json_is_the_vendors_failure_and_free(ask, vendor, balance, endpoint, body):
    before = balance()
    for number, said in enumerate(NO_JSON, 1):
        vendor.says(Said(said))
        answer = ask(endpoint, body)
        assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error"), said
        assert answer.json["upstreamStatus"] == 200
        assert (len(vendor.seen), balance()) == (number, before)


@both
@pytest.mark.parametrize("status", [200, 201])
def test_what_has_another_shape_is_told_with_the_vendors_status(
    ask, vendor, endpoint, body, status
):
    vendor.says(Said([1], status))
    answer = ask(endpoint, body)
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert answer.json["upstreamStatus"] == status


@both
def test_an_answer_over_the_cap_is_not_read_to_its_end(ask, vendor, endpoint, body):
    sent = []

    def endless():
        while len(sent) < 1000:
            sent.append(1)
            yield b"x" * (1 << 20)

    vendor.says(Said(endless(), length=1 << 40))
    answer = ask(endpoint, body)
    assert (answer.status_code, answer.json["upstreamStatus"]) == (502, 200)
    assert (LIMIT >> 20) < len(sent) < 40


@both
def test_an_answer_up_to_the_cap_is_taken(ask, vendor, endpoint, body):
    whole = json.dumps(GOOD[endpoint]).encode()
    vendor.says(Said(whole + b" " * (LIMIT - len(whole))))
    assert ask(endpoint, body).status_code == 200


@both
def test_a_compressed_answer_is_never_inflated(ask, vendor, monkeypatch, endpoint, body):
    """We ask for identity; a bomb of 100 MB would be 100 KB on the wire."""
    monkeypatch.setattr(zlib, "decompressobj", pytest.fail)
    for said in (zipped(GOOD[endpoint]), zipped("a" * 50_000_000)):
        vendor.says(said)
        answer = ask(endpoint, body)
        assert (answer.status_code, answer.json["upstreamStatus"]) == (502, 200)
    assert {asked.headers["accept-encoding"] for asked in vendor.seen} == {"identity"}


@both
def test_a_compressed_refusal_still_says_by_its_status_what_it_is(ask, vendor, endpoint, body):
    vendor.says(Said(gzip.compress(b"{}"), 404, {"Content-Encoding": "gzip"}))
    assert (ask(endpoint, body).status_code, len(vendor.seen)) == (404, 1)


@both
def test_a_redirect_is_never_followed(ask, vendor, endpoint, body):
    for number, status in enumerate((301, 302, 303, 307, 308), 1):
        vendor.says(Said({}, status, {"Location": f"{vendor.url}/elsewhere"}))
        assert ask(endpoint, body).status_code in (404, 502), status
        assert len(vendor.seen) == number
    assert "/elsewhere" not in [asked.path for asked in vendor.seen]


@both
@pytest.mark.parametrize("pause", [0.05, 60], ids=["drip", "silence"])
def test_the_deadline_is_for_the_whole_answer(ask, vendor, within, balance, endpoint, body, pause):
    within(1)
    vendor.says(dripping(pause))
    before, began = balance(), time.monotonic()
    answer = ask(endpoint, body)
    assert (answer.status_code, answer.json["error"]) == (504, "upstream_timeout")
    assert 0.5 < time.monotonic() - began < 40  # the vendor would take 50, or 60
    assert (len(vendor.seen), balance()) == (1, before)


def test_a_get_that_is_cut_is_asked_again(ask, vendor):
    vendor.says(Said(b'{"full', length=100), Said(b"", length=100), REPOSITORY)
    assert ask(*GET).json["data"]["fullName"] == "octocat/Hello-World"
    assert len(vendor.seen) == 3


def test_a_get_that_stays_cut_fails_after_three(ask, vendor):
    vendor.says(Said(b"{", length=100))
    answer = ask(*GET)
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert len(vendor.seen) == 3


@pytest.mark.parametrize(
    "said",
    [Said(b"{", length=100), *(Said({}, status) for status in (429, 500, 502, 503, 504))],
    ids=["cut", "429", "500", "502", "503", "504"],
)
def test_a_post_is_never_repeated(ask, vendor, balance, said):
    vendor.says(said, PAGES)
    before = balance()
    assert ask(*POST).status_code in (429, 502)
    assert (len(vendor.seen), balance()) == (1, before)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_get_is_asked_again_after_a_passing_failure(ask, vendor, status):
    vendor.says(Said({}, status), Said({}, status), REPOSITORY)
    assert ask(*GET).status_code == 200
    assert len(vendor.seen) == 3


def date_in(seconds):
    return formatdate(time.time() + seconds, usegmt=True)


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that would have been made between two attempts, in seconds; none is."""
    made: list[float] = []
    monkeypatch.setattr(sending, "sleep", made.append)
    return made


@pytest.mark.parametrize("pause", [lambda: "3", lambda: date_in(3.5)], ids=["seconds", "date"])
def test_retry_after_is_waited_for(ask, vendor, pauses, pause):
    vendor.says(Said({}, 503, {"Retry-After": pause()}), REPOSITORY)
    assert ask(*GET).status_code == 200
    assert 2 <= pauses[0] <= 4
    assert len(pauses) == 1


@pytest.mark.parametrize(
    ("pause", "told"),
    [
        ("120", [120]),
        ("1.5", [2]),
        ("0", [5]),  # our own
        ("soon", [5]),
        (lambda: date_in(120), range(118, 121)),
        (lambda: date_in(-120), [5]),
        (lambda: date_in(100_000), [3600]),
    ],
    ids=["seconds", "fraction", "none", "words", "date", "past", "far"],
)
def test_the_pause_of_a_limit_is_told_in_seconds(ask, vendor, pause, told):
    headers = {"Retry-After": pause() if callable(pause) else pause}
    vendor.says(Said({}, 429, headers))
    answer = ask(*POST)
    assert (answer.status_code, answer.json["error"]) == (429, "rate_limited")
    assert int(answer.headers["Retry-After"]) in told


@pytest.mark.parametrize("pause", ["5", "86400", "9" * 5000])
def test_a_retry_after_beyond_the_deadline_is_not(ask, vendor, within, pauses, pause):
    within(4)
    vendor.says(Said({}, 503, {"Retry-After": pause}), Said({}, 503))
    assert ask(*GET).status_code == 502
    assert all(pause < 2 for pause in pauses)  # our own, where the vendor's is no number


def test_a_long_retry_after_is_left_to_the_caller(ask, vendor, pauses):
    vendor.says(Said({}, 429, {"Retry-After": "6"}), REPOSITORY)
    answer = ask(*GET)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "6")
    assert (len(vendor.seen), pauses) == (1, [])


def test_an_unreachable_vendor_is_a_failure(app, ask, vendor):
    app.extensions["vendor_settings"]["EXA_BASE_URL"] = "http://127.0.0.1:9"
    answer = ask(*POST)
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert answer.json["upstreamStatus"] is None


@pytest.mark.parametrize(
    "text",
    ["a\r\nX-Evil: 1", "@evil.example/", "../../admin", "a%2F..%2Fb", "?key=1#", "http://evil/"],
)
def test_no_text_of_a_caller_steers_a_request(ask, vendor, text):
    vendor.says({"total_count": 0, "incomplete_results": False, "items": []})
    assert ask("codehost-search-repositories", {"query": text}).status_code == 200
    asked = vendor.seen[0]
    assert (asked.path, asked.query["q"]) == ("/search/repositories", [text])
    assert set(asked.query) == {"q", "order", "per_page", "page"}
    assert "x-evil" not in asked.headers


@pytest.mark.parametrize("header", ["X-Api-Key", "Authorization", "Cookie", "X-Evil"])
def test_no_header_of_a_caller_is_passed_on(alice, ask, vendor, header):
    vendor.says(PAGES)
    own = {header: f"Bearer {alice.token}" if header == "Authorization" else "from-the-caller"}
    assert ask(*POST, headers=own).status_code == 200
    sent = "\n".join(vendor.seen[0].headers.values())
    assert "from-the-caller" not in sent
    assert alice.token not in sent


def test_a_number_that_json_can_not_say_is_refused(alice, vendor):
    body = b'{"query": "a", "outputSchema": {"maximum": 1e999}}'
    answer = alice.request(
        "POST", "/api/integrations/neuralsearch-answer", data=body, content_type="application/json"
    )
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
    assert vendor.seen == []
