"""Products, flights and hotels over SerpApi."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]
STAY = {"query": "Rome", "checkIn": "2027-01-15", "checkOut": "2027-01-18"}
TRIP = {"from": "CDG", "to": "AUS", "departDate": "2027-01-15"}
BACK = {**TRIP, "returnDate": "2027-01-20"}
FAILED = {"search_metadata": {"status": "Error"}}
MADE = {"search_metadata": {"status": "Success"}}
USED_UP = {"error": "Your account has run out of searches."}


MEANINGS = [
    (
        Said({"error": "Google hasn't returned any results for this query.", **MADE}),
        (200, None),
    ),
    (Said({**FAILED, "properties": []}), (502, "upstream_provider_error")),
    (Said({}), (502, "upstream_provider_error")),
    (Said({"error": "Unable to scrape.", **FAILED}), (502, "upstream_provider_error")),
    (Said(USED_UP), (502, "upstream_provider_error")),
    (Said(USED_UP, 429), (502, "upstream_provider_error")),
    (Said({"error": "Too many searches an hour."}, 429), (429, "rate_limited")),
    (Said({"error": "Invalid API key."}, 401), (502, "upstream_provider_error")),
    (Said({"error": "Unsupported `xx` language."}, 400), (400, "invalid_request")),
]


def test_what_an_error_means(ask, vendor):
    for said, outcome in MEANINGS:
        vendor.says(said)
        answer = ask("search-hotels", STAY)
        assert (answer.status_code, answer.json.get("error")) == outcome, said
        if outcome[0] == 200:
            assert answer.json["data"]["hotels"] == []


def test_one_hotel_is_answered_as_itself(ask, vendor):
    vendor.says({**MADE, "name": "Hotel Roma", "property_token": "x", "overall_rating": 4})
    hotels = ask("search-hotels", STAY).json["data"]["hotels"]
    assert [(one["name"], one["rating"]) for one in hotels] == [("Hotel Roma", 4)]


def test_products_without_an_id_are_left_out(ask, vendor):
    rows = [{"title": "Ad"}, {"asin": "B1", "link": "https://shop.example/1?ref=x"}]
    vendor.says({**MADE, "organic_results": rows})
    products = ask("shop-search", {"query": "coffee"}).json["data"]["products"]
    assert [(one["id"], one["url"]) for one in products] == [("B1", "https://shop.example/1?ref=x")]


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [("flights", TRIP), ("search-hotels", STAY), ("shop-search", {"query": "coffee"})],
)
def test_what_is_no_answer_of_serpapi_is_free(alice, ask, vendor, endpoint, body):
    before = alice.get("/api/credits").json["balance"]
    for said in ({}, FAILED):
        vendor.says(said)
        assert ask(endpoint, body).json["error"] == "upstream_provider_error"
    assert alice.get("/api/credits").json["balance"] == before
    vendor.says(MADE)
    assert ask(endpoint, body).status_code == 200
    assert alice.get("/api/credits").json["balance"] == before - 1.25


@pytest.mark.parametrize(("body", "kind"), [(TRIP, "2"), (BACK, "1")])
def test_a_return_date_makes_a_round_trip(ask, vendor, body, kind):
    vendor.says({**MADE, "best_flights": [], "other_flights": []})
    assert ask("flights", body).json["data"]["flights"] == []
    assert f"type={kind}" in vendor.seen[0].target.split("&")


@pytest.mark.parametrize(
    ("endpoint", "body", "named"),
    [
        ("flights", {**TRIP, "tripType": "round_trip"}, "returnDate"),
        ("flights", {**BACK, "tripType": "one_way"}, "returnDate"),
        ("flights", {**TRIP, "returnDate": "2027-01-01"}, "returnDate"),
        ("search-hotels", {**STAY, "checkOut": "2027-01-01"}, "checkOut"),
        ("search-hotels", {**STAY, "checkOut": STAY["checkIn"]}, "checkOut"),
        ("search-hotels", {**STAY, "children": 2, "childrenAges": [5]}, "children"),
        ("search-hotels", {**STAY, "children": 2}, "childrenAges"),
        ("search-hotels", {**STAY, "adults": 5, "children": 2}, "adults"),
        ("search-hotels", {**STAY, "vacationRentals": True, "children": 9}, "adults"),
        (
            "search-hotels",
            {**STAY, "vacationRentals": True, "freeCancellation": True},
            "freeCancellation",
        ),
        ("search-hotels", {**STAY, "vacationRentals": True, "hotelClass": [4]}, "hotelClass"),
    ],
)
def test_what_does_not_go_together_is_refused(ask, vendor, endpoint, body, named):
    answer = ask(endpoint, body)
    assert (answer.status_code, list(answer.json["details"])) == (400, [named])
    assert vendor.seen == []


@pytest.mark.parametrize("guests", [{"adults": 6}, {"adults": 10, "vacationRentals": True}])
def test_a_home_takes_more_guests_than_a_hotel(ask, vendor, guests):
    vendor.says(MADE)
    assert ask("search-hotels", {**STAY, **guests}).status_code == 200


@pytest.mark.parametrize(("endpoint", "body"), [("flights", TRIP), ("search-hotels", STAY)])
def test_a_language_is_written_as_the_vendor_lists_it(ask, vendor, endpoint, body):
    """SerpApi lists `pt-br` and `zh-cn`, and refuses languages that it does not list."""
    vendor.says(MADE)
    assert ask(endpoint, {**body, "language": "pt-BR"}).status_code == 200
    assert vendor.seen[0].query["hl"] == ["pt-br"]
