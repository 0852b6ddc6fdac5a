"""Events over Ticketmaster's Discovery API."""

import time

import pytest

from service.integrations.calling import sending
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]
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


@pytest.mark.parametrize(
    ("available", "reset", "pause"),
    [
        ("0", 600, range(590, 601)),
        ("0", 36_000, [3600]),
        ("0", -60, [1]),
        ("17", 600, [5]),  # too many in a second: the day's quota is not used up
        ("", 600, [5]),
    ],
)
def test_a_used_up_quota_says_when_it_is_reset(ask, vendor, monkeypatch, available, reset, pause):
    monkeypatch.setattr(sending, "sleep", lambda seconds: None)
    moment = str(int((time.time() + reset) * 1000))
    headers = {"Rate_Limit_Available": available, "Rate_Limit_Reset": moment}
    vendor.says(fault("policies.ratelimit.QuotaViolation", 429, **headers))
    answer = ask("search-events", {"city": "Berlin"})
    assert int(answer.headers["Retry-After"]) in pause


@pytest.mark.parametrize("moment", ["soon", "\u00b2", "9" * 5000])
def test_a_reset_that_is_no_moment_is_not_waited_for(ask, vendor, monkeypatch, moment):
    monkeypatch.setattr(sending, "sleep", lambda seconds: None)
    headers = {"Rate_Limit_Available": "0", "Rate_Limit_Reset": moment}
    vendor.says(fault("policies.ratelimit.QuotaViolation", 429, **headers))
    answer = ask("search-events", {"city": "Berlin"})
    assert (answer.status_code, answer.headers["Retry-After"]) in ((429, "5"), (429, "3600"))


def test_no_event_is_an_empty_list(ask, vendor):
    vendor.says(PAGE)
    assert ask("search-events", {"city": "Berlin"}).json["data"]["events"] == []


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "query"),
        ({"city": "Berlin", "limit": 200, "page": 5}, "page"),
        ({"latlong": "\u0663\u0662.7,-117.1"}, "latlong"),
        ({"latlong": "32.7,-117.1\n"}, "latlong"),
    ],
)
def test_a_search_too_wide_or_too_deep_is_refused(ask, vendor, body, named):
    answer = ask("search-events", body)
    assert (answer.status_code, list(answer.json["details"])) == (400, [named])
    assert vendor.seen == []


@pytest.mark.parametrize(
    "moment",
    ["1969-12-31T23:59:59Z", "2100-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59",
     "9999-12-31T23:59:59-23:59"],
)  # fmt: skip
def test_a_moment_beyond_the_calendar_of_vendors_is_refused(ask, vendor, moment):
    answer = ask("search-events", {"city": "Berlin", "startDate": moment})
    assert answer.json["details"] == {"startDate": ["Must be from 1970 to 2099."]}
    assert vendor.seen == []


@pytest.mark.parametrize("moment", ["2026-11-30", "2026-11-30T09:00:00", "tomorrow", "", 5])
def test_a_moment_without_an_offset_is_refused_in_plain_words(ask, vendor, moment):
    answer = ask("search-events", {"city": "Berlin", "startDate": moment})
    wanted = "Must be a time with its offset, such as 2026-11-30T09:00:00Z."
    assert answer.json["details"] == {"startDate": [wanted]}
    assert vendor.seen == []
