"""Find places by their names.

Open-Meteo takes the first `count` places of a name, and only then leaves out those in other
countries or outside the area after a comma. So for these searches more places are requested than
the caller wants. The answers have the names of countries and regions in the requested language.
Open-Meteo leaves out zeros: a place on the equator has no latitude, one at sea level no elevation.
Source: github.com/open-meteo/geocoding-api.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import Count, Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Each, Int, Made, Maybe, Num, Shape, Values
from service.integrations.vendors.open_meteo.vendor import DOCS, GEOCODING, OPEN_METEO
from service.web.errors import NotFound


def _coordinate(name: str, other: str) -> Made:
    """Read a coordinate, 0 if it is left out of a place that has the other one."""

    def coordinate(place: Any, values: Values) -> Any:
        is_zero = find(place, name) is None and find(place, other) is not None
        return 0 if is_zero else Num(name).read(place, values)

    return Made(Num(""), coordinate)


def _elevation(place: Any, values: Values) -> Any:
    known = find(place, "elevation") is not None
    return Maybe(Num("elevation")).read(place, values) if known else 0


PLACE = Shape(
    id=Maybe(Int("id")), name=Maybe("name"), latitude=_coordinate("latitude", "longitude"),
    longitude=_coordinate("longitude", "latitude"),
    country=Maybe("country"), countryCode=Maybe("country_code"), region=Maybe("admin1"),
    district=Maybe("admin2"), timezone=Maybe("timezone"), population=Maybe(Int("population")),
    elevation=Made(Maybe(Num("")), _elevation),
)  # fmt: skip


PLACES = Shape(results=Each("results", PLACE, default=()))
MOST = 100  # results of one request
AREAS = ("countryCode", "country", "region", "district")
OTHER_NAMES = {"uk": "gb", "usa": "us", "uae": "ae"}  # usual names that are not country codes


def _main_language(language: str) -> str:
    """Return `pt` for `pt-BR`. Open-Meteo answers in English for a name that it does not know."""
    return language.partition("-")[0].lower()


class City(Parameters):
    city = Words("The city's name, or with its country or region: `Paris, France`.", least=2,
                 most=100, to="query.name", required=True)  # fmt: skip
    count = Count("Number of results.", least=1, most=MOST, to="query.count", default=5)
    language = Words(
        "The language of the names in the answer.", least=2, most=5,
        to="query.language", theirs=_main_language, default="en",
    )  # fmt: skip
    countryCode = Words(
        "Only places in this country, in two letters.",
        pattern="^[A-Za-z]{2}$", to="query.countryCode", theirs=str.upper,
    )  # fmt: skip


def _search(
    call: Call, request: Outgoing, *, city: str, count: int, language: str
) -> dict[str, Any]:
    """Return the places of a name, or if there are none, of its part before a comma.

    The latter must be in the areas that the other parts name, in the answer's language or in
    English.
    """
    if "," in city or "countryCode" in request.query:
        request = request.plus(query={"count": MOST})
    found = PLACES.read(call.send(request))["results"]
    if found or "," not in city:
        return {"results": found[:count]}
    name, *areas = [part.strip() for part in city.split(",")]
    wider = request.plus(query={"name": name})
    places = PLACES.read(call.send(wider))["results"]
    known = list(places)
    if places and _main_language(language) != "en":
        known += PLACES.read(call.send(wider.plus(query={"language": "en"})))["results"]
    names = _areas(known)
    return {"results": [one for one in places if _is_in(names[_point(one)], areas)][:count]}


def _point(place: Mapping[str, Any]) -> tuple[float, float]:
    return place["latitude"], place["longitude"]


def _areas(places: Sequence[dict[str, Any]]) -> dict[tuple[float, float], set[str]]:
    """Return all known names of the areas in which each place is, by its coordinates."""
    names: dict[tuple[float, float], set[str]] = defaultdict(set)
    for place in places:
        names[_point(place)] |= {str(place[area]).casefold() for area in AREAS if place[area]}
    return names


def _is_in(names: set[str], areas: Sequence[str]) -> bool:
    named = [area.casefold() for area in areas if area]
    return all(OTHER_NAMES.get(one, one) in names for one in named)


geocode = Endpoint(
    name="geocode-city", vendor=OPEN_METEO, category="science",
    summary="Places of a name, with their coordinates.",
    says=Says("Looking up where {city} is", "Looked up where {city} is: {results:place}"),
    docs=f"{DOCS}/geocoding-api", access=FREE_READ, seconds=20,
    cache=Cache(seconds=86400, shared=True),
    takes=City, asks=get("/v1/search", base=GEOCODING, query={"format": "json"}),
    run=_search, gives=PLACES,
    examples=(example(
        {"city": "Berlin", "count": 2, "countryCode": "DE"},
        f"GET /v1/search?format=json&name=Berlin&count={MOST}&language=en&countryCode=DE",
        File("open_meteo/places.json"), base=GEOCODING,
    ),),
)  # fmt: skip


def first_place(call: Call, city: str, language: str) -> dict[str, Any]:
    """Return the best match of a name. Raises `NotFound`."""
    values = {"city": city, "count": 1, "language": language}
    places = geocode.perform(call, values)["results"]
    if not places:
        raise NotFound(
            "There is no city of that name. Give the name alone, or with its country, such as "
            "“Paris, France”, or give coordinates."
        )
    place: dict[str, Any] = places[0]
    return place


ENDPOINTS = (geocode,)
