"""Events of prediction markets: a list, and a search by words."""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import (
    Amount,
    Choice,
    Count,
    Moment,
    Parameters,
    Switch,
    Words,
)
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Num, Shape, Values
from service.integrations.vendors.polymarket.vendor import (
    DOCS,
    OUTCOME,
    POLYMARKET,
    items_of,
    number_of,
)


def _amount(path: str) -> Made:
    return Made(Maybe(Num("")), lambda item, values: number_of(find(item, path)))


def _texts(path: str) -> Made:
    def texts(item: Any, values: Values) -> list[str]:
        return [str(one) for one in items_of(find(item, path))]

    return Made(Each("", ""), texts)


def _prices(item: Any, values: Values) -> list[float | None]:
    """Return one price for each outcome, in their order."""
    return [number_of(one) for one in items_of(find(item, "outcomePrices"))]


MARKET = Shape(
    id="id", question=Maybe("question"), slug=Maybe("slug"), conditionId=Maybe("conditionId"),
    outcomes=_texts("outcomes"), prices=Made(Each("", Maybe(Num(""))), _prices),
    tokenIds=_texts("clobTokenIds"), volume=_amount("volume"), liquidity=_amount("liquidity"),
    active=Maybe(Bool("active")), closed=Maybe(Bool("closed")), endDate=Maybe("endDate"),
)  # fmt: skip
EVENT = Shape(
    id="id", slug=Maybe("slug"), title=Maybe("title"), description=Maybe("description"),
    startDate=Maybe("startDate"), endDate=Maybe("endDate"), active=Maybe(Bool("active")),
    closed=Maybe(Bool("closed")), volume=_amount("volume"), volume24h=_amount("volume24hr"),
    liquidity=_amount("liquidity"), image=Maybe("image"),
    markets=Each("markets", MARKET, default=()),
)  # fmt: skip
EVENTS = Shape(events=Each("", EVENT))
AT_ONCE = 20  # events of one request, with all their markets
DEEPEST = 2000  # events that a request may skip: Polymarket refuses more
ANSWER = {
    "id": "903193", "slug": "fed-decision-in-december", "title": "Fed decision in December?",
    "description": "What the Federal Open Market Committee decides in December.",
    "startDate": "2026-09-17T17:06:13Z", "endDate": "2026-12-09T00:00:00Z", "active": True,
    "closed": False, "volume": 1264881.2, "volume24hr": 42113.5, "liquidity": 318022.7,
    "image": "https://polymarket-upload.s3.us-east-2.amazonaws.com/fed.png",
    "markets": [{
        "id": "570360", "question": "No change in December?", "slug": "fed-no-change",
        "conditionId": "0xcb111226a8271fed0c71bb5ec1bd67b2a4fd72f1eb08466e2180b9efa99d3f32",
        "outcomes": '["Yes", "No"]', "outcomePrices": '["0.285", "0.715"]',
        "clobTokenIds": f'["{OUTCOME}", "5211"]', "volume": "412000.5", "liquidity": "91004.1",
        "active": True, "closed": False, "endDate": "2026-12-09T00:00:00Z",
    }],
}  # fmt: skip


class Events(Parameters):
    limit = Count("Events of a page.", least=1, most=100, to="query.limit", default=20)
    offset = Count("Events to skip.", least=0, most=DEEPEST, to="query.offset", default=0)
    active = Switch("Whether trading is open.", to="query.active", default=True)
    closed = Switch("Whether the event has ended.", to="query.closed", default=False)
    tagSlug = Words("Only events with this tag, such as `politics`.", most=128, to="query.tag_slug")
    slug = Words("Only the event with this slug.", most=256, to="query.slug")
    order = Choice(
        "volume24hr", "volume", "liquidity", "startDate", "endDate", about="What to sort by.",
        to="query.order", default="volume24hr",
    )  # fmt: skip
    ascending = Switch("The smallest first.", to="query.ascending", default=False)
    volumeMin = Amount(
        "Only events with this traded volume or more, in US dollars.",
        least=0, most=1e12, to="query.volume_min",
    )  # fmt: skip
    endDateMin = Moment("Only events that end after this time.", to="query.end_date_min")
    endDateMax = Moment("Only events that end before this time.", to="query.end_date_max")


def _events(call: Call, request: Outgoing) -> dict[str, Any]:
    """Request `AT_ONCE` events at a time, because the markets of a hundred may exceed one answer.

    The order may change between two requests, so repeated events are dropped.
    """
    first, end = request.query["offset"], request.query["offset"] + request.query["limit"]
    offsets = [offset for offset in range(first, end, AT_ONCE) if offset <= DEEPEST]

    def some(offset: int) -> list[Any]:
        limit = end - offset if offset == offsets[-1] else AT_ONCE
        return as_list(call.send(request.plus(query={"offset": offset, "limit": limit})))

    pages = call.each(some, offsets)
    found = EVENTS.read([event for page in pages for event in page])["events"]
    return {"events": list({event["id"]: event for event in found}.values())}


events = Endpoint(
    name="predmarket-events", vendor=POLYMARKET, category="data",
    summary="Events of prediction markets, with the prices of their outcomes.",
    docs=f"{DOCS}/events/list-events", access=FREE_READ, seconds=20,
    cache=Cache(seconds=30, shared=True),
    takes=Events, asks=get("/events"), run=_events, gives=EVENTS,
    examples=(example(
        {
            "limit": 1, "tagSlug": "economy", "slug": "fed-decision-in-december", "volumeMin": 1000,
            "endDateMin": "2026-11-22T00:00Z", "endDateMax": "2026-12-31T00:00Z",
        },
        "GET /events?limit=1&offset=0&active=true&closed=false&tag_slug=economy"
        "&slug=fed-decision-in-december&order=volume24hr&ascending=false&volume_min=1000.0"
        "&end_date_min=2026-11-22T00%3A00%3A00Z&end_date_max=2026-12-31T00%3A00%3A00Z",
        [ANSWER],
    ),),
)  # fmt: skip


class Search(Parameters):
    query = Words("Words to look for.", most=200, to="query.q", required=True)
    limit = Count("Events of a page.", least=1, most=50, to="query.limit_per_type", default=10)
    page = Count("The page's number.", least=1, most=10_000, to="query.page", default=1)
    status = Choice(
        "active", "resolved", about="The state of the events.",
        to="query.events_status", default="active",
    )  # fmt: skip
    sort = Words(
        "What to sort by, such as `volume_24hr`; by default, how well an event matches.",
        most=50, to="query.sort",
    )  # fmt: skip


search = Endpoint(
    name="predmarket-search", vendor=POLYMARKET, category="data",
    summary="Events of prediction markets that match words.",
    docs=f"{DOCS}/search/search-markets-events-and-profiles", access=FREE_READ, seconds=20,
    cache=Cache(seconds=30, shared=True),
    takes=Search,
    asks=get("/public-search", query={"search_tags": False, "search_profiles": False}),
    gives=Shape(
        events=Each("events", EVENT, default=()), hasMore=Maybe(Bool("pagination.hasMore")),
        total=Maybe(Int("pagination.totalResults")),
    ),
    examples=(example(
        {"query": "fed decision", "limit": 1, "sort": "volume_24hr"},
        "GET /public-search?q=fed+decision&limit_per_type=1&page=1&events_status=active"
        "&sort=volume_24hr&search_tags=false&search_profiles=false",
        {"events": [ANSWER], "pagination": {"hasMore": True, "totalResults": 14}},
    ),),
)  # fmt: skip

ENDPOINTS = (events, search)
