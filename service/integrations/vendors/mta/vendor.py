"""The MTA itself: the addresses of its feeds and of its list of stations.

Its terms let a server fetch the data and pass it on. They do not allow a copy in a program's
source, so the list of stations is fetched too.
Source: mta.info/developers, mta.info/developers/terms-and-conditions.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from service.integrations.declare.reading import unusable
from service.integrations.declare.setting import base_url
from service.integrations.declare.vendor import Vendor
from service.times import timestamp

DOCS = "https://www.mta.info/developers"
FEEDS = "/Dataservice/mtagtfsfeeds"
STATIONS = "MTA_STATIONS_BASE_URL"
LATEST = 4_102_444_800  # the year 2100, in epoch seconds

MTA = Vendor(
    integration="transit",
    name="mta",
    bases=(
        base_url("MTA_BASE_URL", "https://api-endpoint.mta.info"),
        base_url(STATIONS, "https://data.ny.gov", "base URL of the list of stations"),
    ),
)

# The lines of each feed. `GS`, `FS` and `H` are the shuttles, and `SI` is Staten Island's line.
LINES = {
    "nyct/gtfs": ("1", "2", "3", "4", "5", "6", "7", "GS"),
    "nyct/gtfs-ace": ("A", "C", "E", "H"),
    "nyct/gtfs-bdfm": ("B", "D", "F", "M", "FS"),
    "nyct/gtfs-g": ("G",),
    "nyct/gtfs-jz": ("J", "Z"),
    "nyct/gtfs-nqrw": ("N", "Q", "R", "W"),
    "nyct/gtfs-l": ("L",),
    "nyct/gtfs-si": ("SI",),
}
NUMBERED = "nyct/gtfs"
FEED_OF = {line: feed for feed, lines in LINES.items() for line in lines}
ROUTES = ("S", *FEED_OF)  # people know the shuttle in 42nd Street as S


def line_of(route: str) -> str:
    """Return the feeds' name of a line. Names of express trains end with an X."""
    return "GS" if route == "S" else route.removesuffix("X")


def moment(seconds: object) -> str | None:
    """Format epoch seconds as a time, or return None for another value."""
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0 < seconds < LATEST:
        return None
    return timestamp(datetime.fromtimestamp(seconds, UTC))


def needed_moment(seconds: object) -> str:
    """Format epoch seconds as a time. Raises `Unusable` for another value."""
    text = moment(seconds)
    if text is None:
        raise unusable("time")
    return text


def distinct(texts: Iterable[object]) -> list[str]:
    """Return each text once, in the order of their first occurrence."""
    return list(dict.fromkeys(text for text in texts if isinstance(text, str)))
