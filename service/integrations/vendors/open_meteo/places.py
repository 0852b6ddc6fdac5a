"""Places, by their names."""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import Count, Parameters, Words
from service.integrations.declare.request import get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Each, Int, Maybe, Num, Shape
from service.integrations.vendors.open_meteo.vendor import DOCS, GEOCODING, OPEN_METEO
from service.web.errors import NotFound

PLACE = Shape(
    id=Int("id"), name=Maybe("name"), latitude=Num("latitude"), longitude=Num("longitude"),
    country=Maybe("country"), countryCode=Maybe("country_code"), region=Maybe("admin1"),
    district=Maybe("admin2"), timezone=Maybe("timezone"), population=Maybe(Int("population")),
    elevation=Maybe(Num("elevation")),
)  # fmt: skip


class City(Parameters):
    city = Words("The city's name.", least=2, most=100, to="query.name", required=True)
    count = Count("Number of results.", least=1, most=100, to="query.count", default=5)
    language = Words(
        "The language of the names in the answer.", least=2, most=5,
        to="query.language", default="en",
    )  # fmt: skip
    countryCode = Words(
        "Only places in this country, in two letters.",
        pattern="^[A-Za-z]{2}$", to="query.countryCode",
    )  # fmt: skip


geocode = Endpoint(
    name="geocode-city", vendor=OPEN_METEO, category="science",
    summary="Places of a name, with their coordinates.",
    says=Says("Looking up where {city} is", "Looked up where {city} is: {results:place}"),
    docs=f"{DOCS}/geocoding-api", access=FREE_READ, seconds=20,
    cache=Cache(seconds=86400, shared=True),
    takes=City, asks=get("/v1/search", base=GEOCODING, query={"format": "json"}),
    gives=Shape(results=Each("results", PLACE, default=())),
    examples=(example(
        {"city": "Berlin", "count": 2, "countryCode": "DE"},
        "GET /v1/search?format=json&name=Berlin&count=2&language=en&countryCode=DE",
        File("open_meteo/places.json"), base=GEOCODING,
    ),),
)  # fmt: skip


def first_place(call: Call, city: str, language: str) -> dict[str, Any]:
    """The best match of a name. Raises `NotFound`."""
    values = {"city": city, "count": 1, "language": language}
    places = geocode.perform(call, values)["results"]
    if not places:
        raise NotFound("There is no city of that name.")
    place: dict[str, Any] = places[0]
    return place


ENDPOINTS = (geocode,)
