"""Astronomy pictures and near objects over NASA's APIs."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]
DAY = {"startDate": "2015-09-07"}


@pytest.mark.parametrize(
    ("endpoint", "body", "named"),
    [
        ("space-apod", {"date": "2020-01-01", "count": 2}, "count"),
        ("space-apod", {"startDate": "2020-01-01", "date": "2020-01-01"}, "startDate"),
        ("space-apod", {"endDate": "2020-01-01"}, "endDate"),
        ("space-neows-feed", {**DAY, "endDate": "2015-09-15"}, "endDate"),
        ("space-neows-feed", {**DAY, "endDate": "2015-09-06"}, "endDate"),
    ],
)
def test_days_that_do_not_go_together_are_refused(ask, vendor, endpoint, body, named):
    answer = ask(endpoint, body)
    assert (answer.status_code, list(answer.json["details"])) == (400, [named])
    assert vendor.seen == []


@pytest.mark.parametrize("key", ["nasa-canary", None])
def test_without_a_key_the_demonstration_key_is_sent(app, ask, vendor, key):
    if key is None:
        del app.extensions["vendor_settings"]["NASA_API_KEY"]
    vendor.says({"date": "2020-01-01"})
    assert ask("space-apod", {}).json["data"]["pictures"][0]["date"] == "2020-01-01"
    assert f"api_key={key or 'DEMO_KEY'}" in vendor.seen[0].target
    assert vendor.seen[0].target.count("api_key") == 1


def test_objects_come_in_the_order_of_the_days(ask, vendor):
    days = {"2015-09-08": [{"id": "2"}], "2015-09-07": [{"id": "1"}]}
    vendor.says({"element_count": 2, "near_earth_objects": days})
    data = ask("space-neows-feed", DAY).json["data"]
    assert [one["id"] for one in data["objects"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("status", "code", "outcome"),
    [
        (429, "OVER_RATE_LIMIT", (429, "rate_limited")),
        (403, "API_KEY_INVALID", (502, "upstream_provider_error")),
    ],
)
def test_refusals_of_the_gateway(ask, vendor, status, code, outcome):
    vendor.says(Said({"error": {"code": code, "message": "no"}}, status, {"Retry-After": "3600"}))
    answer = ask("space-apod", {})
    assert (answer.status_code, answer.json["error"]) == outcome
    assert answer.headers.get("Retry-After") == ("3600" if status == 429 else None)
