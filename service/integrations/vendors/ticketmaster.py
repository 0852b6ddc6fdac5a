"""Ticketmaster: concerts, sports and theatre, with the Discovery API.

It allows 5000 calls a day and 5 a second, and gives the first 1000 results of a search.
Source: developer.ticketmaster.com/products-and-docs/apis/discovery-api/v2.
"""

import time
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.credential import QueryKey
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.faults import limited
from service.integrations.declare.fields import Choice, Count, Moment, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Each, Int, Maybe, Num, Shape, Str
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError

DOCS = "https://developer.ticketmaster.com/products-and-docs/apis/discovery-api/v2/"
SEARCHABLE = 1000
NARROWING = ("query", "city", "countryCode", "stateCode", "postalCode", "latlong", "category")


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A limit is a fault of the gateway, perhaps with another status than 429."""
    code = str(find(reply.body, "fault.detail.errorcode"))
    if reply.status == 429 or code.startswith("policies.ratelimit."):
        return limited(reply, _pause(reply))
    return None


def _pause(reply: Reply) -> int | None:
    """Return the seconds until the limit is reset, or None if the vendor does not tell."""
    reset = reply.headers.get("Rate-Limit-Reset", "")
    known = reply.headers.get("Rate-Limit-Available") == "0" and reset.isdecimal()
    return max(int(reset[:15]) // 1000 - int(time.time()), 1) if known else None


TICKETMASTER = Vendor(
    integration="events",
    name="ticketmaster",
    bases=(base_url("TICKETMASTER_BASE_URL", "https://app.ticketmaster.com"),),
    credential=QueryKey(secret("TICKETMASTER_API_KEY", "the consumer key of an app"), "apikey"),
    refusal=_refusal,
)


class Search(Parameters):
    query = Words("Words to look for.", most=200, to="query.keyword")
    city = Words("Only events in this city.", most=100, to="query.city")
    countryCode = Words(
        "Only events in this country, as two letters.",
        pattern="^[A-Za-z]{2}$", to="query.countryCode",
    )  # fmt: skip
    stateCode = Words("Only events in this state, such as `NY`.", most=10, to="query.stateCode")
    postalCode = Words("Only events with this postal code.", most=20, to="query.postalCode")
    latlong = Words(
        "Only events near this point, as `latitude,longitude`.",
        pattern=r"^-?\d{1,2}(\.\d{1,12})?,-?\d{1,3}(\.\d{1,12})?$", to="query.latlong",
    )  # fmt: skip
    radius = Count("How near to that point.", least=1, most=500, to="query.radius")
    unit = Choice("km", "miles", about="The radius's unit.", to="query.unit", default="km")
    startDate = Moment("Only events that start after this time.", to="query.startDateTime")
    endDate = Moment("Only events that start before this time.", to="query.endDateTime")
    category = Words(
        "Only this kind of event, such as `music`, `sports` or `arts`.",
        most=100, to="query.classificationName",
    )  # fmt: skip
    sort = Choice(
        "date,asc", "date,desc", "relevance,desc", "name,asc", "distance,asc",
        about="What to sort by, and the order.", to="query.sort", default="date,asc",
    )  # fmt: skip
    limit = Count("Events of a page.", least=1, most=200, to="query.size", default=20)
    page = Count("The page's number, from 0.", least=0, most=999, to="query.page", default=0)
    locale = Words(
        "The language of the events' texts; `*` is any.",
        pattern=r"^[A-Za-z*,-]{1,32}$", to="query.locale", default="*",
    )  # fmt: skip

    @validates_schema
    def check_search(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not any(name in data for name in NARROWING):
            raise ValidationError(f"Give at least one of {', '.join(NARROWING)}.", "query")
        if data["limit"] * data["page"] >= SEARCHABLE:
            raise ValidationError(f"Only the first {SEARCHABLE} results are given.", "page")


VENUE = "_embedded.venues.0"
EVENT = Shape(
    id="id", name=Maybe("name"), url=Maybe("url"),
    date=Maybe(Str("dates.start.localDate", about="In the venue's time zone.")),
    time=Maybe(Str("dates.start.localTime", about="In the venue's time zone.")),
    dateTime=Maybe(Str("dates.start.dateTime", about="The same time in UTC.")),
    status=Maybe("dates.status.code"), venue=Maybe(f"{VENUE}.name"),
    city=Maybe(f"{VENUE}.city.name"), country=Maybe(f"{VENUE}.country.countryCode"),
    address=Maybe(f"{VENUE}.address.line1"), priceMin=Maybe(Num("priceRanges.0.min")),
    priceMax=Maybe(Num("priceRanges.0.max")), currency=Maybe("priceRanges.0.currency"),
    category=Maybe("classifications.0.segment.name"), genre=Maybe("classifications.0.genre.name"),
    imageUrl=Maybe("images.0.url"),
)  # fmt: skip

search = Endpoint(
    name="search-events", vendor=TICKETMASTER, category="science",
    summary="Concerts, sports, theatre and other events with tickets.",
    docs=DOCS, access=FREE_READ, seconds=20,
    cache=Cache(seconds=600, shared=True),
    takes=Search, asks=get("/discovery/v2/events.json"),
    gives=Shape(
        events=Each("_embedded.events", EVENT, default=()), page=Int("page.number"),
        pages=Int("page.totalPages"), total=Int("page.totalElements"),
    ),
    examples=(example(
        {
            "query": "star", "city": "San Diego", "countryCode": "US", "stateCode": "CA",
            "postalCode": "92101", "latlong": "32.71,-117.16", "radius": 30, "category": "music",
            "startDate": "2026-12-01T00:00Z", "endDate": "2026-12-31T00:00Z", "limit": 1, "page": 1,
        },
        "GET /discovery/v2/events.json?keyword=star&city=San+Diego&countryCode=US&stateCode=CA"
        "&postalCode=92101&latlong=32.71%2C-117.16&radius=30&unit=km"
        "&startDateTime=2026-12-01T00%3A00%3A00Z&endDateTime=2026-12-31T00%3A00%3A00Z"
        "&classificationName=music&sort=date%2Casc&size=1&page=1&locale=%2A",
        {
            "_embedded": {"events": [{
                "id": "vvG1VZKS5pr1qy", "name": "Starlight Trio",
                "url": "https://www.ticketmaster.com/event/0B00508C829A3875",
                "dates": {
                    "start": {
                        "localDate": "2026-12-13", "localTime": "19:30:00",
                        "dateTime": "2026-12-14T03:30:00Z",
                    },
                    "status": {"code": "onsale"},
                },
                "classifications": [{"segment": {"name": "Music"}, "genre": {"name": "Jazz"}}],
                "priceRanges": [{"type": "standard", "currency": "USD", "min": 35, "max": 84.5}],
                "images": [{"ratio": "16_9", "url": "https://s1.ticketm.net/dam/a/star.jpg"}],
                "_embedded": {"venues": [{
                    "name": "Balboa Theatre", "city": {"name": "San Diego"},
                    "country": {"countryCode": "US"}, "address": {"line1": "868 Fourth Avenue"},
                }]},
            }]},
            "page": {"size": 1, "totalElements": 23, "totalPages": 23, "number": 1},
        },
    ),),
)  # fmt: skip

ENDPOINTS = (search,)
