"""Places over Google's Text Search."""

import json

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]


def refusal(status, reason="", kind="X"):
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]
    return Said({"error": {"code": status, "status": kind, "details": details}}, status)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (refusal(400, "API_KEY_INVALID", "INVALID_ARGUMENT"), (502, "upstream_provider_error")),
        (refusal(400, "", "INVALID_ARGUMENT"), (400, "invalid_request")),
        (refusal(403, "SERVICE_DISABLED", "PERMISSION_DENIED"), (502, "upstream_provider_error")),
        (refusal(403, "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"), (429, "rate_limited")),
        (Said({"error": "text"}, 403), (502, "upstream_provider_error")),
    ],
)
def test_what_a_refusal_means(ask, vendor, said, outcome):
    vendor.says(said)
    answer = ask("search-places", {"query": "pizza"})
    assert (answer.status_code, answer.json["error"]) == outcome


def test_no_place_is_an_empty_list(ask, vendor):
    vendor.says({})
    data = ask("search-places", {"query": "pizza"}).json["data"]
    assert data == {"places": [], "nextCursor": None}


def test_a_radius_goes_only_with_a_point(ask, vendor):
    vendor.says({})
    point = {"latitude": 1, "longitude": 2}
    ask("search-places", {"query": "pizza", "radiusMeters": 50})
    ask("search-places", {"query": "pizza", "radiusMeters": 50, **point})
    without, with_point = (json.loads(asked.body) for asked in vendor.seen)
    assert "locationBias" not in without
    assert with_point["locationBias"]["circle"] == {"center": point, "radius": 50}


def test_half_a_point_is_refused(ask, vendor):
    answer = ask("search-places", {"query": "pizza", "longitude": 2})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["latitude"])
    assert vendor.seen == []
