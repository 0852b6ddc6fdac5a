"""Tavily's limits and prices, and where a country may stand."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

ANSWER = {"query": "x", "answer": None, "images": [], "results": [], "response_time": 1}


@pytest.mark.parametrize("status", [432, 433])
def test_a_used_up_plan_is_a_failure_that_the_operator_mends_and_free(alice, ask, vendor, status):
    before = alice.get("/api/credits").json["balance"]
    vendor.says(Said({"detail": {"error": "limit"}}, status))
    answer = ask("advanced-web-search", {"query": "x"})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert answer.json["upstreamStatus"] == status
    assert "Retry-After" not in answer.headers
    assert alice.get("/api/credits").json["balance"] == before


def test_a_rate_limit_is_a_pause(ask, vendor):
    vendor.says(Said({"detail": {"error": "limit"}}, 429, {"Retry-After": "7"}))
    answer = ask("advanced-web-search", {"query": "x"})
    assert (answer.json["error"], answer.headers["Retry-After"]) == ("rate_limited", "7")


@pytest.mark.parametrize(
    ("depth", "credits"), [("advanced", 0.8), ("basic", 0.4), ("fast", 0.4), ("ultra-fast", 0.4)]
)
def test_an_advanced_search_costs_twice_as_much(ask, alice, vendor, depth, credits):
    vendor.says(ANSWER)
    before = alice.get("/api/credits").json["balance"]
    ask("advanced-web-search", {"query": "x", "searchDepth": depth})
    after = alice.get("/api/credits").json["balance"]
    assert before - after == pytest.approx(credits)


def test_a_country_goes_with_general_pages_only(ask, vendor):
    answer = ask("advanced-web-search", {"query": "x", "country": "germany", "topic": "news"})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["country"])
    assert vendor.seen == []


@pytest.mark.parametrize("name", ["startDate", "endDate"])
def test_a_time_range_goes_without_dates(ask, vendor, name):
    """Source: Tavily's 400, "When time_range is set, start_date or end_date cannot be set"."""
    answer = ask("advanced-web-search", {"query": "x", "timeRange": "year", name: "2026-01-31"})
    assert answer.json["details"] == {"timeRange": ["Not together with a date."]}
    assert vendor.seen == []


@pytest.mark.parametrize("extent", [True, False, "advanced"])
def test_an_answer_is_wanted_or_not_or_of_a_kind(ask, vendor, extent):
    vendor.says(ANSWER)
    assert ask("advanced-web-search", {"query": "x", "includeAnswer": extent}).status_code == 200
    assert vendor.seen[0].json["include_answer"] == extent
    refused = ask("advanced-web-search", {"query": "x", "includeAnswer": 1})
    assert (refused.status_code, list(refused.json["details"])) == (400, ["includeAnswer"])


def test_a_refusal_says_what_would_be_taken(ask):
    refused = ask("advanced-web-search", {"query": "x", "country": "DE", "includeAnswer": "all"})
    assert refused.json["details"] == {
        "country": ["Must match ^[a-z]+( [a-z]+)*$"],
        "includeAnswer": ["Must be one of: true, false, basic, advanced."],
    }
