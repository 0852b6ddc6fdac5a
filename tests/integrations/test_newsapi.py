"""NewsAPI's refusals by their codes, and which parameters go together."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

NOTHING = {"status": "ok", "totalResults": 0, "articles": []}
INVALID, FAILED = (400, "invalid_request"), (502, "upstream_provider_error")
LIMITED = (429, "rate_limited")


REFUSALS = [
    (400, "parameterInvalid", INVALID, None),
    (426, "maximumResultsReached", INVALID, None),
    (426, "parameterInvalid", INVALID, None),
    (400, "parametersIncompatible", INVALID, None),
    (401, "apiKeyInvalid", FAILED, None),
    (400, "apiKeyMissing", FAILED, None),
    (401, "apiKeyExhausted", LIMITED, "3600"),
    (429, "rateLimited", LIMITED, "5"),
    (200, "rateLimited", LIMITED, "5"),
    (200, "unexpectedError", FAILED, None),
    (200, None, FAILED, None),
]


def test_a_refusal_means_what_its_code_says(ask, vendor):
    for status, code, outcome, pause in REFUSALS:
        vendor.says(Said({"status": "error", "code": code, "message": "secret"}, status))
        answer = ask("news-search", {"query": "x"})
        assert (answer.status_code, answer.json["error"]) == outcome, (status, code)
        assert answer.headers.get("Retry-After") == pause
        assert "secret" not in answer.text


@pytest.mark.parametrize("other", [{"country": "us"}, {"category": "health"}])
def test_sources_stand_without_a_country_or_a_category(ask, vendor, other):
    answer = ask("news-top-headlines", {"sources": ["bbc-news"], **other})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["sources"])
    assert vendor.seen == []


@pytest.mark.parametrize(
    ("body", "country"),
    [({}, ["us"]), ({"page": 2}, ["us"]), ({"query": "x"}, None), ({"category": "health"}, None)],
)
def test_headlines_are_of_the_us_unless_something_is_chosen(ask, vendor, body, country):
    vendor.says(NOTHING)
    assert ask("news-top-headlines", body).status_code == 200
    assert vendor.seen[0].query.get("country") == country


@pytest.mark.parametrize("body", [{}, {"language": "en"}, {"excludeDomains": ["x.example"]}])
def test_a_search_has_a_query_or_sources_or_domains(ask, vendor, body):
    answer = ask("news-search", body)
    assert (answer.status_code, list(answer.json["details"])) == (400, ["query"])
    assert vendor.seen == []
