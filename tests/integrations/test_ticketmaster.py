"""Events over Ticketmaster's Discovery API."""

import time

import pytest

from tests.integrations.scripted import Said
from tests.services import on_sqlite

pytestmark = on_sqlite
PAGE = {"page": {"size": 20, "totalElements": 0, "totalPages": 0, "number": 0}}


def fault(code, status, **headers):
    body = {"fault": {"faultstring": "no", "detail": {"errorcode": code}}}
    return Said(body, status, {name.replace("_", "-"): text for name, text in headers.items()})


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (fault("oauth.v2.InvalidApiKey", 401), (502, "upstream_provider_error")),
        (fault("policies.ratelimit.QuotaViolation", 429), (429, "rate_limited")),
        (fault("policies.ratelimit.SpikeArrestViolation", 500), (429, "rate_limited")),
        (fault("messaging.adaptors.http.flow.X", 500), (502, "upstream_provider_error")),
        (Said({"errors": [{"code": "DIS1035"}]}, 400), (400, "invalid_request")),
    ],
)
def test_what_a_refusal_means(ask, vendor, said, outcome):
    vendor.says(said)
    answer = ask("search-events", {"city": "Berlin"})
    assert (answer.status_code, answer.json["error"]) == outcome


def test_a_used_up_quota_says_when_it_is_reset(ask, vendor):
    reset = str(int((time.time() + 600) * 1000))
    headers = {"Rate_Limit_Available": "0", "Rate_Limit_Reset": reset}
    vendor.says(fault("policies.ratelimit.QuotaViolation", 429, **headers))
    answer = ask("search-events", {"city": "Berlin"})
    assert 590 <= int(answer.headers["Retry-After"]) <= 600


def test_no_event_is_an_empty_list(ask, vendor):
    vendor.says(PAGE)
    assert ask("search-events", {"city": "Berlin"}).json["data"]["events"] == []


@pytest.mark.parametrize(
    ("body", "named"), [({}, "query"), ({"city": "Berlin", "limit": 200, "page": 5}, "page")]
)
def test_a_search_too_wide_or_too_deep_is_refused(ask, vendor, body, named):
    answer = ask("search-events", body)
    assert (answer.status_code, list(answer.json["details"])) == (400, [named])
    assert vendor.seen == []
