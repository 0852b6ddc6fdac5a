"""Flights with prices: the engine `google_flights`."""

from typing import Any, cast

from marshmallow import ValidationError, post_load, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import (
    Choice,
    Count,
    Day,
    Parameters,
    Several,
    Words,
)
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list
from service.integrations.declare.request import get
from service.integrations.declare.shape import (
    Bool,
    Each,
    Int,
    Made,
    Maybe,
    Num,
    Shape,
    Str,
    Values,
    Within,
)
from service.integrations.vendors.serpapi.vendor import DOCS, SERPAPI, Market

AIRPORTS = "as IATA codes with commas between them, or ids such as `/m/0vzm`."


class Trip(Market):
    to = Words(f"Airports to fly to, {AIRPORTS}", least=3, most=200, to="query.arrival_id",
               required=True)  # fmt: skip
    departDate = Day("The day of departure.", to="query.outbound_date", required=True)
    returnDate = Day("The day of the way back.", to="query.return_date")
    tripType = Choice(
        "round_trip", "one_way", about="By default a round trip if there is a returnDate.",
        to="query.type", theirs={"round_trip": 1, "one_way": 2},
    )  # fmt: skip
    adults = Count("Number of adults.", least=1, most=9, to="query.adults", default=1)
    children = Count("Number of children.", least=0, most=8, to="query.children", default=0)
    cabin = Choice(
        "economy", "premium_economy", "business", "first", about="The class.",
        to="query.travel_class", default="economy",
        theirs={"economy": 1, "premium_economy": 2, "business": 3, "first": 4},
    )  # fmt: skip
    maxStops = Choice(
        "any", "nonstop", "1", "2", about="How many stops at most.", to="query.stops",
        theirs={"any": 0, "nonstop": 1, "1": 2, "2": 3}, default="any",
    )  # fmt: skip
    maxPrice = Count("The highest price.", least=1, most=1_000_000, to="query.max_price")
    sort = Choice(
        "top", "price", "departure", "arrival", "duration", "emissions", about="What to sort by.",
        to="query.sort_by", default="top", theirs={
            "top": 1, "price": 2, "departure": 3, "arrival": 4, "duration": 5, "emissions": 6,
        },
    )  # fmt: skip
    airlines = Several(
        Words(pattern="^[A-Z0-9_]{2,20}$"),
        "Only these airlines, as IATA codes, or alliances such as `STAR_ALLIANCE`.",
        least=1, most=20, joined=",", to="query.include_airlines",
    )  # fmt: skip
    departureToken = Words(
        "The `departureToken` of a flight: the answer has the flights back.",
        most=4096, to="query.departure_token",
    )  # fmt: skip

    @validates_schema
    def check_return(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data.get("returnDate", data["departDate"]) < data["departDate"]:
            raise ValidationError("Must not be before departDate.", "returnDate")
        kind = data.get("tripType")
        if kind and (kind == "round_trip") != ("returnDate" in data):
            raise ValidationError("A round trip, and only that, needs a returnDate.", "returnDate")

    @post_load
    def fill_type(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return {"tripType": "round_trip" if "returnDate" in data else "one_way", **data}


# `from` can't be an attribute of a class.
FROM = Words(
    f"Airports to fly from, {AIRPORTS}", least=3, most=200, to="query.departure_id", required=True
)
Flights = cast("type[Parameters]", Trip.from_dict({"from": FROM}, name="Flights"))

LAYOVER = Shape(
    airport=Maybe("name"), code=Maybe("id"), durationMin=Maybe(Int("duration")),
    overnight=Maybe(Bool("overnight")),
)  # fmt: skip
SEGMENT = Shape(
    airline=Maybe("airline"), flightNumber=Maybe("flight_number"), airplane=Maybe("airplane"),
    travelClass=Maybe("travel_class"), **{"from": Maybe("departure_airport.id")},
    fromName=Maybe("departure_airport.name"),
    departAt=Maybe(Str("departure_airport.time", about="Local, such as `2027-01-15 10:20`.")),
    to=Maybe("arrival_airport.id"), toName=Maybe("arrival_airport.name"),
    arriveAt=Maybe(Str("arrival_airport.time", about="Local.")), durationMin=Maybe(Int("duration")),
)  # fmt: skip
FLIGHT = Shape(
    segments=Each("flights", SEGMENT), price=Maybe(Num("price")), type=Maybe("type"),
    totalDurationMin=Maybe(Int("total_duration")),
    layovers=Each("layovers", LAYOVER, default=()),
    carbonGrams=Maybe(Int("carbon_emissions.this_flight")),
    departureToken=Maybe("departure_token"), bookingToken=Maybe("booking_token"),
)  # fmt: skip
INSIGHTS = Shape(
    lowest=Maybe(Num("lowest_price")), level=Maybe("price_level"),
    typicalRange=Maybe(Each("typical_price_range", Num(""))),
)  # fmt: skip


def _flights(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return the best flights first, then the others."""
    rows = [find(answer, name) or [] for name in ("best_flights", "other_flights")]
    return [FLIGHT.read(one) for flights in rows for one in as_list(flights)]


ANSWER = File("serpapi/flights.json")
GOOGLE = {"query.engine": "google_flights"}
search = Endpoint(
    name="flights", vendor=SERPAPI, category="science",
    summary="Flights with prices, in local times. The return flight needs a second call.",
    docs=f"{DOCS}/google-flights-api", access=READ, seconds=60,
    cache=Cache(seconds=600, shared=True),
    takes=Flights, asks=get("/search.json", query={"engine": "google_flights"}),
    gives=Shape(
        flights=Made(Each("", FLIGHT), _flights),
        priceInsights=Maybe(Within("price_insights", INSIGHTS)),
        currency=Maybe("search_parameters.currency"),
    ),
    examples=(
        Example({
            "from": "CDG", "to": "AUS", "departDate": "2027-01-15", "returnDate": "2027-01-22",
            "tripType": "round_trip", "maxPrice": 2000, "departureToken": "WyJDalJJ",
        }, (Exchange(
            "GET /search.json?engine=google_flights&departure_id=CDG&arrival_id=AUS"
            "&outbound_date=2027-01-15&return_date=2027-01-22&type=1&adults=1&children=0"
            "&travel_class=1&stops=0&max_price=2000&sort_by=1&departure_token=WyJDalJJ"
            "&currency=USD&hl=en&gl=us",
            ANSWER, when=GOOGLE,
        ),)),
        Example({
            "from": "CDG,ORY", "to": "AUS", "departDate": "2027-01-15", "cabin": "business",
            "maxStops": "1", "sort": "price", "airlines": ["UA", "STAR_ALLIANCE"],
            "currency": "eur", "country": "FR",
        }, (Exchange(
            "GET /search.json?engine=google_flights&departure_id=CDG%2CORY&arrival_id=AUS"
            "&outbound_date=2027-01-15&type=2&adults=1&children=0&travel_class=3&stops=2&sort_by=2"
            "&include_airlines=UA%2CSTAR_ALLIANCE&currency=EUR&hl=en&gl=fr",
            ANSWER, when=GOOGLE,
        ),)),
    ),
)  # fmt: skip

ENDPOINTS = (search,)
