"""Prices of the tokens that stand for outcomes: their history and the open orders."""

from typing import Any

from marshmallow import ValidationError, post_load, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, unusable
from service.integrations.declare.request import get
from service.integrations.declare.shape import Each, Int, Made, Maybe, Num, Shape, Str, Values
from service.integrations.vendors.polymarket.vendor import (
    CLOB,
    DOCS,
    OUTCOME,
    POLYMARKET,
    number_of,
)

LATEST = 4_102_444_800  # the year 2100, in epoch seconds
LONGEST = 15 * 24 * 3600  # seconds between the two times of a call
# Minutes between two prices, as its refusals name them. The default is one.
LEAST = {"1w": 5, "1m": 10}


class History(Parameters):
    tokenId = Words(
        "The token of an outcome: one of a market's `tokenIds`.",
        most=100, to="query.market", required=True,
    )  # fmt: skip
    interval = Choice(
        "max", "all", "1m", "1w", "1d", "6h", "1h",
        about="How far back; `1m` is a month. By default a day, unless a time is given. `max` and "
        "`all` reach back as far as some thousand prices do.",
        to="query.interval",
    )  # fmt: skip
    startTs = Count("Epoch seconds of the start.", least=0, most=LATEST, to="query.startTs")
    endTs = Count(
        "Epoch seconds of the end, at most 15 days after the start.", least=0, most=LATEST,
        to="query.endTs",
    )  # fmt: skip
    fidelity = Count(
        "Minutes between two prices: at least 5 with `1w` and 10 with `1m`.",
        least=1, most=100_000, to="query.fidelity",
    )  # fmt: skip

    @validates_schema
    def check_times(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "interval" in data and ("startTs" in data or "endTs" in data):
            raise ValidationError("Give either an interval, or startTs and endTs.", "interval")
        if "endTs" in data and "startTs" not in data:
            raise ValidationError("Needs startTs.", "endTs")
        if "endTs" in data and data["endTs"] > data["startTs"] + LONGEST:
            raise ValidationError("At most 15 days after startTs.", "endTs")
        least = LEAST.get(data.get("interval", ""), 1)
        if data.get("fidelity", least) < least:
            raise ValidationError(f"At least {least} with this interval.", "fidelity")

    @post_load
    def fill_interval(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        if "startTs" in data:
            return data
        filled = {"interval": "1d", **data}
        least = LEAST.get(filled["interval"])
        return {"fidelity": least, **filled} if least else filled


PRICES = Each("history", Shape(t=Int("t", about="Seconds since 1970."), price=Num("p")), default=())


def _points(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return the prices up to the end. Polymarket adds the current price, even after a past end."""
    points = PRICES.read(answer, values) or []
    return [one for one in points if one["t"] <= values.get("endTs", one["t"])]


POINTS = {"history": [{"t": 1795305600, "p": 0.28}, {"t": 1795309200, "p": 0.285}]}
history = Endpoint(
    name="predmarket-price-history", vendor=POLYMARKET, category="data",
    summary="The prices of an outcome over time, each from 0 to 1.",
    docs=f"{DOCS}/markets/get-prices-history", access=FREE_READ, seconds=20,
    cache=Cache(seconds=60, shared=True),
    takes=History, asks=get("/prices-history", base=CLOB),
    gives=Shape(
        tokenId=Made("", lambda answer, values: values["tokenId"]),
        points=Made(PRICES, _points),
    ),
    examples=(
        Example({"tokenId": OUTCOME, "interval": "1w", "fidelity": 60}, (Exchange(
            f"GET /prices-history?market={OUTCOME}&interval=1w&fidelity=60", POINTS, base=CLOB,
        ),)),
        Example({"tokenId": OUTCOME, "startTs": 1795305600, "endTs": 1795309200}, (Exchange(
            f"GET /prices-history?market={OUTCOME}&startTs=1795305600&endTs=1795309200", POINTS,
            base=CLOB,
        ),)),
    ),
)  # fmt: skip


def _level(item: Any) -> dict[str, float]:
    price, size = number_of(find(item, "price")), number_of(find(item, "size"))
    if price is None or size is None:
        raise unusable("price")
    return {"price": price, "size": size}


def _side(name: str, best_is_highest: bool) -> Made:
    """Read the orders of one side, the best price first. Polymarket has it last."""

    def levels(answer: Any, values: Values) -> list[dict[str, float]]:
        rows = [_level(one) for one in as_list(find(answer, name) or [])]
        return sorted(rows, key=lambda row: row["price"], reverse=best_is_highest)

    return Made(Each("", Shape(price=Num("price"), size=Num("size"))), levels)


class Book(Parameters):
    tokenId = Words(
        "The token of an outcome: one of a market's `tokenIds`.",
        most=100, to="query.token_id", required=True,
    )  # fmt: skip


book = Endpoint(
    name="predmarket-orderbook", vendor=POLYMARKET, category="data",
    summary="The open orders for an outcome, the best prices first.",
    docs=f"{DOCS}/market-data/get-order-book", access=FREE_READ, seconds=20,
    takes=Book, asks=get("/book", base=CLOB),
    gives=Shape(
        tokenId="asset_id", market=Maybe("market"),
        timestamp=Maybe(Str("timestamp", about="Epoch milliseconds.")),
        bids=_side("bids", True), asks=_side("asks", False), tickSize=Maybe("tick_size"),
        minOrderSize=Maybe("min_order_size"), lastTradePrice=Maybe("last_trade_price"),
    ),
    examples=(example(
        {"tokenId": OUTCOME}, f"GET /book?token_id={OUTCOME}",
        {
            "market": "0xcb111226a8271fed0c71bb5ec1bd67b2a4fd72f1eb08466e2180b9efa99d3f32",
            "asset_id": OUTCOME, "timestamp": "1795309200123", "hash": "8c41d9",
            "bids": [{"price": "0.27", "size": "900"}, {"price": "0.28", "size": "120.5"}],
            "asks": [{"price": "0.31", "size": "400"}, {"price": "0.29", "size": "75"}],
            "min_order_size": "5", "tick_size": "0.01", "neg_risk": False,
            "last_trade_price": "0.285",
        },
        base=CLOB,
    ),),
)  # fmt: skip

ENDPOINTS = (history, book)
