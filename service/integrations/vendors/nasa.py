"""NASA: the astronomy picture of the day, and objects that come near the Earth.

Without the operator's key, NASA's demonstration key is sent, which allows 30 calls an hour and 50 a
day for our address. With a key, 1000 an hour are allowed.
Source: api.nasa.gov, github.com/nasa/apod-api.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.credential import QueryKey
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, example
from service.integrations.declare.fields import Count, Day, Parameters, Switch
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, as_object
from service.integrations.declare.request import get
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Num, Shape, Str, Values
from service.integrations.declare.vendor import Vendor

LONGEST = timedelta(days=7)  # the longest period of a feed
DEMO = {"api_key": "DEMO_KEY"}  # the operator's key replaces it

NASA = Vendor(
    integration="space",
    name="nasa",
    bases=(base_url("NASA_BASE_URL", "https://api.nasa.gov"),),
    credential=QueryKey(
        secret("NASA_API_KEY", "a key; without it 30 calls an hour", required=False), "api_key"
    ),
)

PICTURE = Shape(
    date="date", title=Maybe("title"), explanation=Maybe("explanation"),
    mediaType=Maybe(Str("media_type", about="`image`, `video` or `other`.")), url=Maybe("url"),
    hdUrl=Maybe("hdurl"), thumbnailUrl=Maybe("thumbnail_url"), copyright=Maybe("copyright"),
)  # fmt: skip
VELA = {
    "date": "2013-10-01", "title": "Filaments of the Vela Supernova Remnant",
    "explanation": "The explosion is over, but the consequences continue.",
    "media_type": "image", "copyright": "Wolfgang Leitner", "service_version": "v1",
    "url": "https://apod.nasa.gov/apod/image/1310/vela_960.jpg",
    "hdurl": "https://apod.nasa.gov/apod/image/1310/vela.jpg",
}  # fmt: skip
FILM = {
    "date": "2013-10-02", "title": "All the Colors of the Sun in Motion",
    "explanation": "A film of the solar surface.", "media_type": "video", "service_version": "v1",
    "url": "https://www.youtube.com/embed/abc?rel=0",
    "thumbnail_url": "https://img.youtube.com/vi/abc/0.jpg",
}  # fmt: skip


def _pictures(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return the pictures. NASA sends one picture as an object, and several as a list."""
    return [PICTURE.read(one) for one in (answer if isinstance(answer, list) else [answer])]


class Pictures(Parameters):
    date = Day("The day, from 1995-06-16 on; by default today.", to="query.date")
    startDate = Day("The first day of several.", to="query.start_date")
    endDate = Day("The last day of several; by default today.", to="query.end_date")
    count = Count(
        "So many pictures of random days, instead of dates.", least=1, most=100, to="query.count"
    )
    thumbs = Switch("Also the address of a video's still.", to="query.thumbs", default=True)

    @validates_schema
    def check_days(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "endDate" in data and "startDate" not in data:
            raise ValidationError("Give startDate too.", "endDate")
        ways = [name for name in ("date", "startDate", "count") if name in data]
        if len(ways) > 1:
            raise ValidationError("Give only one of date, startDate and count.", ways[-1])


apod = Endpoint(
    name="space-apod", vendor=NASA, category="science",
    summary="The astronomy picture of a day, of several days, or of random days.",
    docs="https://github.com/nasa/apod-api#docs", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Pictures, asks=get("/planetary/apod", query=DEMO),
    gives=Shape(pictures=Made(Each("", PICTURE), _pictures)),
    examples=(
        example(
            {"date": "2013-10-01"},
            "GET /planetary/apod?date=2013-10-01&thumbs=true", VELA,
        ),
        Example({"startDate": "2013-10-01", "endDate": "2013-10-02"}, (Exchange(
            "GET /planetary/apod?start_date=2013-10-01&end_date=2013-10-02&thumbs=true",
            [VELA, FILM], when={"query.start_date": "2013-10-01"},
        ),)),
        Example({"count": 2}, (Exchange(
            "GET /planetary/apod?count=2&thumbs=true",
            [VELA, FILM], when={"query.count": 2},
        ),)),
    ),
)  # fmt: skip

APPROACH = "close_approach_data.0"
OBJECT = Shape(
    id="id", name=Maybe("name"), url=Maybe("nasa_jpl_url"),
    date=Maybe(f"{APPROACH}.close_approach_date"),
    approachTime=Maybe(
        Str(f"{APPROACH}.close_approach_date_full", about="Such as `2015-Sep-08 20:28`.")
    ),
    magnitude=Maybe(Num("absolute_magnitude_h")),
    diameterMinM=Maybe(Num("estimated_diameter.meters.estimated_diameter_min")),
    diameterMaxM=Maybe(Num("estimated_diameter.meters.estimated_diameter_max")),
    hazardous=Maybe(Bool("is_potentially_hazardous_asteroid")),
    velocityKmh=Maybe(f"{APPROACH}.relative_velocity.kilometers_per_hour"),
    missDistanceKm=Maybe(f"{APPROACH}.miss_distance.kilometers"),
)  # fmt: skip


def _objects(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return one list in the order of the days. NASA has a list for each day."""
    days: Mapping[str, Any] = as_object(find(answer, "near_earth_objects") or {})
    return [OBJECT.read(one) for day in sorted(days) for one in as_list(days[day])]


class Feed(Parameters):
    startDate = Day("The first day.", to="query.start_date", required=True)
    endDate = Day(
        "The last day, at most seven after the first, which is the default.", to="query.end_date"
    )

    @validates_schema
    def check_span(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "endDate" in data and "startDate" in data:
            start, end = map(date.fromisoformat, (data["startDate"], data["endDate"]))
            if not start <= end <= start + LONGEST:
                raise ValidationError("Must be at most 7 days after startDate.", "endDate")


feed = Endpoint(
    name="space-neows-feed", vendor=NASA, category="science",
    summary="Asteroids and comets that pass near the Earth, for at most seven days.",
    docs="https://api.nasa.gov/#neows-feed", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Feed, asks=get("/neo/rest/v1/feed", query=DEMO),
    gives=Shape(count=Int("element_count"), objects=Made(Each("", OBJECT), _objects)),
    examples=(example(
        {"startDate": "2015-09-07", "endDate": "2015-09-08"},
        "GET /neo/rest/v1/feed?start_date=2015-09-07&end_date=2015-09-08",
        {"element_count": 1, "near_earth_objects": {"2015-09-08": [{
            "id": "2465633", "name": "465633 (2009 JR5)", "absolute_magnitude_h": 20.44,
            "nasa_jpl_url": "https://ssd.jpl.nasa.gov/tools/sbdb_lookup.html#/?sstr=2465633",
            "estimated_diameter": {"meters": {
                "estimated_diameter_min": 217.04, "estimated_diameter_max": 485.31,
            }},
            "is_potentially_hazardous_asteroid": True,
            "close_approach_data": [{
                "close_approach_date": "2015-09-08",
                "close_approach_date_full": "2015-Sep-08 20:28",
                "relative_velocity": {"kilometers_per_hour": "65260.5699103704"},
                "miss_distance": {"kilometers": "45290298.225725659"},
                "orbiting_body": "Earth",
            }],
        }]}},
    ),),
)  # fmt: skip

ENDPOINTS = (apod, feed)
