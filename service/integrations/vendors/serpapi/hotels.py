"""Hotels with prices: the engine `google_hotels`."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Choice, Count, Day, Several, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list
from service.integrations.declare.request import get
from service.integrations.declare.shape import Each, Int, Made, Maybe, Num, Readable, Shape, Values
from service.integrations.vendors.serpapi.vendor import DOCS, SERPAPI, Market

HIGHEST = 1_000_000  # price
# Guests, children included. Source: github.com/serpapi/public-roadmap/issues/3137.
IN_HOTEL, IN_HOME = 6, 10
GOOGLE = {"query.engine": "google_hotels"}
ANSWER = File("serpapi/hotels.json")


class Stay(Market):
    query = Words("A city, an area or a hotel.", most=200, to="query.q", required=True)
    checkIn = Day("The first day.", to="query.check_in_date", required=True)
    checkOut = Day("The day of leaving.", to="query.check_out_date", required=True)
    adults = Count(
        f"Number of adults; with the children at most {IN_HOTEL}, or {IN_HOME} with "
        "`vacationRentals`.", least=1, most=IN_HOME, to="query.adults", default=2,
    )  # fmt: skip
    children = Count(
        "Number of children; with any, `childrenAges` is required.",
        least=0, most=10, to="query.children", default=0,
    )  # fmt: skip
    childrenAges = Several(
        Count(least=1, most=17), "The age of each child; 1 for those who are younger.",
        least=1, most=10, joined=",", to="query.children_ages",
    )  # fmt: skip
    sort = Choice(
        "relevance", "price", "rating", "reviews", about="What to sort by.", to="query.sort_by",
        theirs={"relevance": None, "price": 3, "rating": 8, "reviews": 13}, default="relevance",
    )  # fmt: skip
    minPrice = Count("The lowest price of a night.", least=0, most=HIGHEST, to="query.min_price")
    maxPrice = Count("The highest price of a night.", least=1, most=HIGHEST, to="query.max_price")
    minRating = Choice(
        "3.5", "4.0", "4.5", about="Only what is rated so well or better.",
        to="query.rating", theirs={"3.5": 7, "4.0": 8, "4.5": 9},
    )  # fmt: skip
    hotelClass = Several(
        Count(least=2, most=5),
        "Only hotels with these numbers of stars; not with `vacationRentals`.",
        least=1, most=4, joined=",", to="query.hotel_class",
    )  # fmt: skip
    freeCancellation = Switch(
        "Only what can be cancelled for nothing; not with `vacationRentals`.",
        to="query.free_cancellation", theirs={False: None},
    )  # fmt: skip
    vacationRentals = Switch(
        "Homes instead of hotels.",
        to="query.vacation_rentals", theirs={False: None}, default=False,
    )  # fmt: skip
    cursor = Words(
        "`nextCursor` of the page before; the other parameters stay the same.",
        most=4096, to="query.next_page_token",
    )  # fmt: skip

    @validates_schema
    def check_stay(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data["checkOut"] <= data["checkIn"]:
            raise ValidationError("Must be after checkIn.", "checkOut")
        for name in ("hotelClass", "freeCancellation"):  # SerpApi has these filters only for hotels
            if data["vacationRentals"] and data.get(name):
                raise ValidationError("Not together with vacationRentals.", name)
        most = IN_HOME if data["vacationRentals"] else IN_HOTEL
        if data["adults"] + data["children"] > most:
            raise ValidationError(f"At most {most} guests, children included.", "adults")
        if data["children"] and "childrenAges" not in data:
            raise ValidationError("Must have the age of each child.", "childrenAges")
        if "childrenAges" in data and len(data["childrenAges"]) != data["children"]:
            raise ValidationError("Must be as many as childrenAges has.", "children")


HOTEL = Shape(
    name="name", type=Maybe("type"), description=Maybe("description"), url=Maybe("link"),
    token=Maybe("property_token"), latitude=Maybe(Num("gps_coordinates.latitude")),
    longitude=Maybe(Num("gps_coordinates.longitude")),
    pricePerNight=Maybe(Num("rate_per_night.extracted_lowest")),
    priceText=Maybe("rate_per_night.lowest"), totalPrice=Maybe(Num("total_rate.extracted_lowest")),
    stars=Maybe(Int("extracted_hotel_class")), rating=Maybe(Num("overall_rating")),
    reviews=Maybe(Int("reviews")), amenities=Maybe(Readable("amenities")),
    imageUrl=Maybe("images.0.thumbnail"), checkInTime=Maybe("check_in_time"),
    checkOutTime=Maybe("check_out_time"),
)  # fmt: skip


def _hotels(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return the hotels. A search for the name of one hotel is answered with that hotel itself."""
    hotels = find(answer, "properties")
    if not hotels:
        hotels = [answer] if find(answer, "property_token") else []
    return [HOTEL.read(one) for one in as_list(hotels)]


search = Endpoint(
    name="search-hotels", vendor=SERPAPI, category="science",
    summary="Hotels and homes with prices.",
    docs=f"{DOCS}/google-hotels-api", access=READ, seconds=60,
    cache=Cache(seconds=600, shared=True),
    takes=Stay, asks=get("/search.json", query={"engine": "google_hotels"}),
    gives=Shape(
        hotels=Made(Each("", HOTEL), _hotels),
        nextCursor=Maybe("serpapi_pagination.next_page_token"),
        currency=Maybe("search_parameters.currency"),
    ),
    examples=(Example({
        "query": "Bali", "checkIn": "2027-01-15", "checkOut": "2027-01-18", "vacationRentals": True,
    }, (Exchange(
        "GET /search.json?engine=google_hotels&q=Bali&check_in_date=2027-01-15"
        "&check_out_date=2027-01-18&adults=2&children=0&vacation_rentals=true"
        "&currency=USD&hl=en&gl=us",
        ANSWER, when=GOOGLE,
    ),)), Example({
        "query": "Bali Resorts", "checkIn": "2027-01-15", "checkOut": "2027-01-18", "children": 2,
        "childrenAges": [5, 8], "sort": "price", "minPrice": 50, "maxPrice": 400,
        "minRating": "4.0", "hotelClass": [4, 5], "freeCancellation": True, "cursor": "CBI=",
    }, (Exchange(
        "GET /search.json?engine=google_hotels&q=Bali+Resorts&check_in_date=2027-01-15"
        "&check_out_date=2027-01-18&adults=2&children=2&children_ages=5%2C8&sort_by=3&min_price=50"
        "&max_price=400&rating=8&hotel_class=4%2C5&free_cancellation=true&next_page_token=CBI%3D"
        "&currency=USD&hl=en&gl=us",
        ANSWER, when=GOOGLE,
    ),))),
)  # fmt: skip

ENDPOINTS = (search,)
