"""Prediction markets over Polymarket's public APIs."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]


@pytest.mark.parametrize(
    ("market", "outcomes", "prices", "volume"),
    [
        (
            {"outcomes": '["Yes", "No"]', "outcomePrices": '["0.2", "0.8"]', "volume": "12.5"},
            ["Yes", "No"],
            [0.2, 0.8],
            12.5,
        ),
        (
            {"outcomes": ["Yes", "No"], "outcomePrices": [0.2, None], "volume": 12},
            ["Yes", "No"],
            [0.2, None],
            12,
        ),
        ({"outcomes": "no JSON", "outcomePrices": '"x"', "volume": "NaN"}, [], [], None),
        ({"outcomes": '["Yes"', "outcomePrices": '["1e999"]', "volume": True}, [], [None], None),
        ({"outcomes": "\ud800", "outcomePrices": None}, [], [], None),
    ],
)
def test_lists_and_numbers_may_be_texts(ask, vendor, market, outcomes, prices, volume):
    vendor.says([{"id": "1", "markets": [{"id": "2", **market}]}])
    read = ask("predmarket-events", {}).json["data"]["events"][0]["markets"][0]
    assert (read["outcomes"], read["prices"], read["volume"]) == (outcomes, prices, volume)


def test_the_best_orders_come_first(ask, vendor):
    bids = [{"price": "0.05", "size": "1"}, {"price": "0.4", "size": "2"}]
    asks = [{"price": "0.9", "size": "3"}, {"price": "0.5", "size": "4"}]
    vendor.says({"asset_id": "7", "bids": bids, "asks": asks})
    data = ask("predmarket-orderbook", {"tokenId": "7"}).json["data"]
    assert data["bids"] == [{"price": 0.4, "size": 2}, {"price": 0.05, "size": 1}]
    assert data["asks"] == [{"price": 0.5, "size": 4}, {"price": 0.9, "size": 3}]


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ({}, "market=7&interval=1d"),
        ({"interval": "max"}, "market=7&interval=max"),
        ({"interval": "1w"}, "market=7&interval=1w&fidelity=5"),
        ({"interval": "1m"}, "market=7&interval=1m&fidelity=10"),
        ({"interval": "1m", "fidelity": 60}, "market=7&interval=1m&fidelity=60"),
        ({"startTs": 5}, "market=7&startTs=5"),
    ],
)
def test_a_day_of_prices_unless_a_time_is_given(ask, vendor, body, query):
    vendor.says({"history": []})
    data = ask("predmarket-price-history", {"tokenId": "7", **body}).json["data"]
    assert data == {"tokenId": "7", "points": []}
    assert sorted(vendor.seen[0].target.partition("?")[2].split("&")) == sorted(query.split("&"))


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"interval": "1d", "endTs": 5}, "interval"),
        ({"interval": "1w", "fidelity": 4}, "fidelity"),
        ({"interval": "1m", "fidelity": 9}, "fidelity"),
        ({"startTs": 5, "endTs": 6 + 15 * 24 * 3600}, "endTs"),
        ({"endTs": 5}, "endTs"),
    ],
)
def test_what_polymarket_refuses_without_a_word_is_named(ask, vendor, body, name):
    answer = ask("predmarket-price-history", {"tokenId": "7", **body})
    assert (answer.status_code, list(answer.json["details"])) == (400, [name])
    assert vendor.seen == []


def test_no_price_is_behind_the_end(ask, vendor):
    vendor.says({"history": [{"t": 5, "p": 0.1}, {"t": 9, "p": 0.2}, {"t": 1795305600, "p": 0.3}]})
    for end, times in ((9, [5, 9]), (None, [5, 9, 1795305600])):
        body = {"tokenId": "7", "startTs": 5, **({"endTs": end} if end else {})}
        points = ask("predmarket-price-history", body).json["data"]["points"]
        assert [one["t"] for one in points] == times


@pytest.fixture
def gamma(vendor):
    """Has events from 0 on, each with markets of 150 kB."""
    market = {"id": "m", "description": "x" * 150_000}

    def answer(asked):
        first, count = (int(asked.query[name][0]) for name in ("offset", "limit"))
        return Said([{"id": str(n), "markets": [market]} for n in range(first, first + count)])

    vendor.says(answer)
    return vendor


def test_many_events_are_fetched_in_answers_of_a_usable_size(ask, gamma):
    events = ask("predmarket-events", {"limit": 90, "offset": 5}).json["data"]["events"]
    assert [one["id"] for one in events] == [str(n) for n in range(5, 95)]
    asked = sorted((int(s.query["offset"][0]), int(s.query["limit"][0])) for s in gamma.seen)
    assert asked == [(5, 20), (25, 20), (45, 20), (65, 20), (85, 10)]


def test_no_request_skips_more_events_than_polymarket_allows(ask, gamma):
    events = ask("predmarket-events", {"limit": 30, "offset": 1985}).json["data"]["events"]
    assert len(events) == 30
    asked = sorted((int(s.query["offset"][0]), int(s.query["limit"][0])) for s in gamma.seen)
    assert asked == [(1985, 30)]
    answer = ask("predmarket-events", {"offset": 2001})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["offset"])
    assert len(gamma.seen) == 1


def test_an_event_that_has_moved_between_two_requests_is_told_once(ask, vendor):
    vendor.says([{"id": "1"}, {"id": "2"}])
    events = ask("predmarket-events", {"limit": 40}).json["data"]["events"]
    assert [one["id"] for one in events] == ["1", "2"]
