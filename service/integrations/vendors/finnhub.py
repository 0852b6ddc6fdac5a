"""Finnhub: stocks by name or symbol, with their latest prices.

Source: finnhub.io/docs/api. A free key allows 60 requests a minute, and only quotes of listings in
the United States.
"""

from collections.abc import Mapping
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Count, Parameters, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import need, objects, text
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Each, Int, Maybe, Num, Shape
from service.integrations.declare.vendor import Vendor
from service.web.errors import ServiceError

FINNHUB = Vendor(
    integration="stocks",
    name="finnhub",
    bases=(base_url("FINNHUB_BASE_URL", "https://finnhub.io/api/v1"),),
    credential=HeaderKey(
        secret("FINNHUB_API_KEY", "the key of an account at Finnhub"), "X-Finnhub-Token"
    ),
)
QUOTE = get("/quote")
STOCK = Shape(
    symbol="symbol", displaySymbol=Maybe("displaySymbol"), name=Maybe("description"),
    type=Maybe("type"), price=Maybe(Num("quote.c")), change=Maybe(Num("quote.d")),
    changePercent=Maybe(Num("quote.dp")), high=Maybe(Num("quote.h")), low=Maybe(Num("quote.l")),
    open=Maybe(Num("quote.o")), previousClose=Maybe(Num("quote.pc")),
    time=Maybe(Int("quote.t", about="Seconds since 1970.")),
)  # fmt: skip


class Stocks(Parameters):
    query = Words("A symbol, a name, an ISIN or a CUSIP.", most=60, to="query.q", required=True)
    exchange = Words("Only listings there, such as `US`.", most=20, to="query.exchange")
    limit = Count("Number of stocks.", least=1, most=5, default=3)
    includeQuote = Switch("Look up the latest price of each.", default=True)


def _stocks(call: Call, request: Outgoing, *, limit: int, include_quote: bool) -> dict[str, Any]:
    stocks = objects(need(call.send(request), "result"))[:limit]
    quotes = call.each(lambda stock: _quote(call, stock), stocks) if include_quote else []
    priced = quotes or [None] * len(stocks)
    pairs = zip(stocks, priced, strict=True)
    return {"stocks": [STOCK.read({**stock, "quote": quote}) for stock, quote in pairs]}


def _quote(call: Call, stock: Mapping[str, Any]) -> Any:
    """Return the quote of a stock, or None if the plan or Finnhub has no price.

    A symbol without a price has zeros instead of its time and all numbers.
    """
    symbol = text(stock, "symbol")
    try:
        quote = call.send(QUOTE.with_parts(query={"symbol": symbol}))
    except ServiceError:
        return None
    return quote if find(quote, "t") else None


search = Endpoint(
    name="search-stocks", vendor=FINNHUB, category="data",
    summary="Stocks of a name or symbol, with their latest prices if available.",
    docs="https://finnhub.io/docs/api/symbol-search", access=FREE_READ, seconds=20,
    cache=Cache(seconds=60, shared=True),
    takes=Stocks, asks=get("/search"), run=_stocks, gives=Shape(stocks=Each("stocks", STOCK)),
    examples=(Example({"query": "apple", "exchange": "US", "limit": 2}, (
        Exchange(
            "GET /search?q=apple&exchange=US",
            {"count": 3, "result": [
                {"description": "APPLE INC", "displaySymbol": "AAPL", "symbol": "AAPL",
                 "type": "Common Stock"},
                {"description": "APPLE HOSPITALITY REIT INC", "displaySymbol": "APLE",
                 "symbol": "APLE", "type": "REIT"},
                {"description": "MAUI LAND & PINEAPPLE CO", "displaySymbol": "MLP",
                 "symbol": "MLP", "type": "Common Stock"},
            ]},
        ),
        Exchange(
            "GET /quote?symbol=AAPL",
            {"c": 261.74, "d": 1.42, "dp": 0.5455, "h": 263.31, "l": 260.68, "o": 261.07,
             "pc": 260.32, "t": 1582641000},
            when={"query.symbol": "AAPL"},
        ),
        Exchange(
            "GET /quote?symbol=APLE",
            {"c": 0, "d": None, "dp": None, "h": 0, "l": 0, "o": 0, "pc": 0, "t": 0},
            when={"query.symbol": "APLE"},
        ),
    )),),
)  # fmt: skip

ENDPOINTS = (search,)
