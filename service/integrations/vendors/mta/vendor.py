"""The MTA itself: where its feeds are, and where its list of stations is.

Its terms let a server fetch the data and pass it on. They are no licence for a copy in a program's
source, so the list of stations is fetched, too.
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
    """The feeds' own name of a line; express trains have theirs with an X."""
    return "GS" if route == "S" else route.removesuffix("X")


def moment(seconds: object) -> str | None:
    """Epoch seconds as a time of ours; None for what is no such number."""
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0 < seconds < LATEST:
        return None
    return timestamp(datetime.fromtimestamp(seconds, UTC))


def needed_moment(seconds: object) -> str:
    """Raise `Unusable`."""
    told = moment(seconds)
    if told is None:
        raise unusable("time")
    return told


def distinct(texts: Iterable[object]) -> list[str]:
    """Each text once, in their order."""
    return list(dict.fromkeys(text for text in texts if isinstance(text, str)))
