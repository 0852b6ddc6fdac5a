"""Brave's refusals: a bad key is a 422 there, and limits stand in its own headers."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

LIMITED = (429, "rate_limited")


def refused(status, code, **headers):
    body = {"type": "ErrorResponse", "error": {"status": status, "code": code}, "time": 1}
    names = {f"X-RateLimit-{name}": text for name, text in headers.items()}
    return Said(body, status, names)


REFUSALS = [
    (refused(422, "SUBSCRIPTION_TOKEN_INVALID"), (502, "upstream_provider_error"), None),
    (refused(422, "VALIDATION"), (400, "invalid_request"), None),
    (refused(403, "OPTION_NOT_IN_PLAN"), (502, "upstream_provider_error"), None),
    (refused(400, "OPTION_NOT_IN_PLAN"), (502, "upstream_provider_error"), None),
    (refused(429, "RATE_LIMITED", Remaining="0, 900", Reset="7, 1419704"), LIMITED, "7"),
    (refused(429, "QUOTA_LIMITED", Remaining="0, 0", Reset="1, 1800"), LIMITED, "1800"),
    (refused(429, "QUOTA_LIMITED", Remaining="1, 0", Reset="1, 1419704"), LIMITED, "3600"),
    (refused(429, "RATE_LIMITED", Remaining="none", Reset="soon"), LIMITED, "5"),
]


def test_a_refusal_means_what_its_code_and_headers_say(ask, vendor):
    for refusal, outcome, pause in REFUSALS:
        vendor.says(refusal)
        answer = ask("search-web-raw", {"query": "x"})
        assert (answer.status_code, answer.json["error"]) == outcome, refusal
        assert answer.headers.get("Retry-After") == pause


@pytest.mark.parametrize(
    ("places", "names"),
    [
        ([["query", "country"]], ["country"]),
        ([["query", "search_lang"], ["query", "q"]], ["query", "searchLang"]),
        ([["header", "accept"], ["query", "result_filter"], ["query"], "query", None], []),
    ],
)
def test_a_refusal_names_the_parameters_that_brave_names(ask, vendor, places, names):
    """Brave knows about forty countries and fifty languages, and adds some now and then."""
    errors = [{"type": "enum", "loc": place, "msg": "a text of Brave"} for place in places]
    meta = {"code": "VALIDATION", "status": 422, "meta": {"errors": errors}}
    vendor.says(Said({"type": "ErrorResponse", "error": meta}, 422))
    answer = ask("search-web-raw", {"query": "x", "country": "GE"})
    assert (answer.status_code, list(answer.json["details"])) == (400, names)
    assert "a text of Brave" not in answer.text


def test_a_search_without_results_is_an_empty_list(ask, vendor):
    vendor.says({"type": "search", "query": {"original": "x"}})
    data = ask("search-web-raw", {"query": "x"}).json["data"]
    assert data == {"query": "x", "more": None, "results": []}


def test_a_whole_number_may_have_a_fraction_of_zero_as_in_the_routes_schema(ask, vendor):
    vendor.says({"type": "search", "query": {"original": "x"}})
    assert ask("search-web-raw", {"query": "x", "count": 3.0}).status_code == 200
    assert vendor.seen[-1].query["count"] == ["3"]
    assert ask("search-web-raw", {"query": "x", "count": 3.5}).status_code == 400


SEARCHES = [("search-web-raw", "search"), ("search-images", "images"), ("search-videos", "videos")]


@pytest.mark.parametrize(("endpoint", "kind"), SEARCHES)
def test_an_answer_may_lack_its_results_only_where_it_is_braves(alice, ask, vendor, endpoint, kind):
    before = alice.get("/api/credits").json["balance"]
    for other in ({}, {"images": []}, {"type": "ErrorResponse", "error": {"code": "X"}}):
        vendor.says(Said(other))
        answer = ask(endpoint, {"query": "x"})
        assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert alice.get("/api/credits").json["balance"] == before
    for empty in ({"type": kind}, {"query": {"original": "x"}}):
        vendor.says(Said(empty))
        assert ask(endpoint, {"query": "x"}).json["data"]["results"] == []


@pytest.mark.parametrize(("endpoint", "kind"), SEARCHES)
def test_a_language_is_asked_for_by_braves_name(ask, vendor, endpoint, kind):
    vendor.says({"type": kind})
    for asked, sent in {"ja": "jp", "zh": "zh-hans", "pt": "pt-br", "en": "en"}.items():
        assert ask(endpoint, {"query": "x", "searchLang": asked}).status_code == 200
        assert vendor.seen[-1].query["search_lang"] == [sent]


def test_a_query_of_more_words_than_brave_takes_is_not_sent(ask, vendor):
    vendor.says({"type": "search"})
    assert ask("search-web-raw", {"query": "a " * 50}).status_code == 200
    answer = ask("search-web-raw", {"query": "a " * 51})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["query"])
    assert len(vendor.seen) == 1
