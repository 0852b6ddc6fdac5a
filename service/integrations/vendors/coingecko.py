"""CoinGecko: coins by name or symbol, with their market data.

Source: docs.coingecko.com. Without a key, 5 to 15 requests a minute are allowed for our address.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.credential import NamedValues
from service.integrations.declare.credential import SettingValues as Keys
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange
from service.integrations.declare.fields import Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, need, text
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.setting import Setting, base_url, secret
from service.integrations.declare.shape import Each, Int, Maybe, Num, Shape
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError, UpstreamFailed

BASE = base_url(
    "COINGECKO_BASE_URL", "https://api.coingecko.com/api/v3",
    "base URL; `https://pro-api.coingecko.com/api/v3` with the key of a paid plan",
)  # fmt: skip
PRO_HOST = "pro-api.coingecko.com"
# No key, a plan without this feature, or the key of the other host. Some of these are a 400.
BAD_KEY = (10002, 10005, 10006, 10010, 10011)


@dataclass(frozen=True)
class PlanKey:
    """A key in the header of its plan. Free and paid keys have different hosts and headers."""

    key: Setting

    @property
    def settings(self) -> tuple[Setting, ...]:
        return (self.key,)

    def put(self, values: Keys, headers: NamedValues, query: NamedValues) -> None:
        if self.key.name in values:
            is_paid = urlsplit(values.get(BASE.name, "")).hostname == PRO_HOST
            header = "x-cg-pro-api-key" if is_paid else "x-cg-demo-api-key"
            headers[header] = values[self.key.name]


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. The code of a key of the other host is not in `status`, but beside it."""
    codes = (find(reply.body, path) for path in ("status.error_code", "error_code"))
    is_key = reply.status != 200 and any(code in BAD_KEY for code in codes)
    return UpstreamFailed(upstreamStatus=reply.status) if is_key else None


COINGECKO = Vendor(
    integration="crypto",
    name="coingecko",
    bases=(BASE,),
    credential=PlanKey(
        secret(
            "COINGECKO_API_KEY",
            "a key; without it few calls a minute; a paid plan's goes with its own base URL",
            required=False,
        )
    ),
    refusal=_refusal,
)
MARKETS = get("/coins/markets")
COIN = Shape(
    id="id", symbol=Maybe("symbol"), name=Maybe("name"), image=Maybe("image"),
    price=Maybe(Num("current_price")), marketCap=Maybe(Num("market_cap")),
    rank=Maybe(Int("market_cap_rank")), volume24h=Maybe(Num("total_volume")),
    high24h=Maybe(Num("high_24h")), low24h=Maybe(Num("low_24h")),
    changePercent24h=Maybe(Num("price_change_percentage_24h")), updatedAt=Maybe("last_updated"),
)  # fmt: skip


class Coins(Parameters):
    query = Words("A coin's name or symbol.", most=60, to="query.query", required=True)
    currency = Words("The currency of the prices.", pattern="^[A-Za-z]{2,10}$", default="usd")
    limit = Count("Number of coins.", least=1, most=20, default=5)


def _coins(call: Call, request: Outgoing, *, currency: str, limit: int) -> dict[str, Any]:
    coins = as_list(need(call.send(request), "coins"))[:limit]
    if not coins:  # without ids, CoinGecko would list every coin
        return {"coins": []}
    ids = ",".join(text(coin, "id") for coin in coins)
    asks = MARKETS.with_parts(query={"vs_currency": currency.lower(), "ids": ids})
    return {"coins": [COIN.read(coin) for coin in as_list(call.send(asks))]}


search = Endpoint(
    name="search-crypto", vendor=COINGECKO, category="data",
    summary="Coins of a name or symbol with their market data, the most valuable first.",
    docs="https://docs.coingecko.com/reference/coins-markets", access=FREE_READ, seconds=20,
    cache=Cache(seconds=60, shared=True),
    takes=Coins, asks=get("/search"), run=_coins, gives=Shape(coins=Each("coins", COIN)),
    examples=(Example({"query": "bitcoin", "currency": "EUR", "limit": 1}, (
        Exchange(
            "GET /search?query=bitcoin",
            {"coins": [
                {"id": "bitcoin", "name": "Bitcoin", "api_symbol": "bitcoin", "symbol": "BTC",
                 "market_cap_rank": 1},
                {"id": "bitcoin-cash", "name": "Bitcoin Cash", "api_symbol": "bitcoin-cash",
                 "symbol": "BCH", "market_cap_rank": 15},
            ], "exchanges": [], "icos": [], "categories": [], "nfts": []},
        ),
        Exchange(
            "GET /coins/markets?vs_currency=eur&ids=bitcoin",
            [{"id": "bitcoin", "symbol": "btc", "name": "Bitcoin",
              "image": "https://coin-images.coingecko.com/coins/images/1/large/bitcoin.png",
              "current_price": 70187, "market_cap": 1381651251183, "market_cap_rank": 1,
              "total_volume": 20154184933, "high_24h": 70215, "low_24h": 68060,
              "price_change_percentage_24h": 3.12502,
              "last_updated": "2024-04-07T16:49:31.736Z"}],
        ),
    )),),
)  # fmt: skip

ENDPOINTS = (search,)
