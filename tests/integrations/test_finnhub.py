"""Stocks over Finnhub."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

STOCKS = {"result": [{"symbol": name, "description": name} for name in ("A", "B", "C", "D")]}
PRICE = {"c": 5.5, "d": 1, "dp": 2, "h": 6, "l": 5, "o": 5, "pc": 4.5, "t": 1582641000}


@pytest.mark.parametrize(
    ("quote", "price"),
    [
        (Said(PRICE), 5.5),
        (Said({**PRICE, "t": 0, "c": 0}), None),
        (Said({"error": "You don't have access to this resource."}, 403), None),
        (Said({"error": "API limit reached."}, 429, {"Retry-After": "60"}), None),
        (Said([]), None),
    ],
)
def test_a_stock_without_a_price_is_still_found(ask, vendor, quote, price):
    vendor.says(lambda asked: quote if asked.path == "/quote" else Said(STOCKS))
    stocks = ask("search-stocks", {"query": "a", "limit": 2}).json["data"]["stocks"]
    assert [(one["symbol"], one["price"]) for one in stocks] == [("A", price), ("B", price)]


def test_without_quotes_no_price_is_asked_for(ask, vendor):
    vendor.says(STOCKS)
    data = ask("search-stocks", {"query": "a", "includeQuote": False}).json["data"]
    assert [one["price"] for one in data["stocks"]] == [None] * 3
    assert [asked.path for asked in vendor.seen] == ["/search"]
