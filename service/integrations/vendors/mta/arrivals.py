"""The next trains at a stop, decoded from GTFS-realtime.

Source: gtfs.org/documentation/realtime/reference; a direction is the last letter of a stop's id.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from service.fairness import WorkBudget
from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File
from service.integrations.declare.fields import Choice, Count, Parameters, Words
from service.integrations.declare.reading import unusable
from service.integrations.declare.request import get
from service.integrations.declare.shape import Each, Int, Maybe, Shape, Str, Within
from service.integrations.vendors.mta.stations import (
    COLUMNS,
    DIRECTIONS,
    MOST,
    PATH,
    Stop,
    chosen,
    facts,
    known_stops,
)
from service.integrations.vendors.mta.vendor import (
    DOCS,
    FEED_OF,
    FEEDS,
    LINES,
    MTA,
    NUMBERED,
    ROUTES,
    STATIONS,
    line_of,
    needed_moment,
)
from service.lazy import DeferredModule

# Only calls of this endpoint need them, and they take 3 MB.
gtfs_realtime = DeferredModule("google.transit.gtfs_realtime_pb2")
protobuf = DeferredModule("google.protobuf.message")

FEED = get(f"{FEEDS}/{{feed}}", returns="bytes")  # its slash stays quoted
BOTH = "both"

_reading = WorkBudget(1000)  # stops of trips; so many take a millisecond or two


class Arrivals(Parameters):
    stop = Words(
        "The stop's id, such as `127` or `127N`, or words of the station's name.",
        most=100, required=True,
    )  # fmt: skip
    route = Choice(*ROUTES, about="Only this line, express trains included.")
    direction = Choice(*DIRECTIONS.values(), BOTH, about="Only this direction.", default=BOTH)
    limit = Count("Number of arrivals.", least=1, most=50, default=10)


def _arrivals(
    call: Call, *, stop: str, direction: str, limit: int, route: str | None = None
) -> dict[str, Any]:
    stops = known_stops(call, stop)
    here, named = chosen(stops, stop, route)
    feeds = call.each(lambda name: _feed(call, name), _feeds(here, route))
    wanted = {named or direction, direction} - {BOTH}
    found = [one for feed in feeds for one in trains(feed, here, stops)]
    found = [one for one in found if wanted <= {one["direction"]} and _is_of(one, route)]
    found.sort(key=lambda one: one["time"])
    oldest = min(feed.header.timestamp for feed in feeds)
    return {
        "stop": facts(here),
        "arrivals": found[:limit],
        "feedTimestamp": needed_moment(oldest),
    }


def _feeds(here: Sequence[Stop], route: str | None) -> list[str]:
    """Return the feeds to ask for. Trains of lettered lines often use each other's tracks, so all
    their feeds are needed; numbered lines have their own tracks and one feed."""
    if route:
        return [FEED_OF[line_of(route)]]
    kinds = {one.id[:1].isdecimal() for one in here}
    return [feed for feed in LINES if (feed == NUMBERED) in kinds]


def _feed(call: Call, name: str) -> Any:
    raw, _ = call.send(FEED.with_parts(path={"feed": name}))
    try:
        return gtfs_realtime.FeedMessage.FromString(raw)
    except protobuf.DecodeError:
        raise unusable("protobuf") from None


def trains(feed: Any, here: Sequence[Stop], stops: Sequence[Stop]) -> Iterator[dict[str, Any]]:
    """Yield the arrivals, or departures at a first stop, after the time of the feed."""
    ids, names = {one.id for one in here}, {one.id: one.name for one in stops}
    for trip, calls in _trips(feed):
        _reading.spend(len(calls))
        for one in calls:
            if one.stop_id[:-1] not in ids or _is_skipped(one):
                continue
            time = one.arrival.time or one.departure.time
            if time < feed.header.timestamp:
                continue
            yield {
                "route": trip.route_id,
                "direction": DIRECTIONS.get(one.stop_id[-1:]),
                "stopId": one.stop_id,
                "time": needed_moment(time),
                "minutes": (time - feed.header.timestamp) // 60,
                "tripId": trip.trip_id,
                "headsign": names.get(calls[-1].stop_id[:-1]),
            }


def _trips(feed: Any) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Yield the trips that are not cancelled, with their stops."""
    for entity in feed.entity:
        trip, calls = entity.trip_update.trip, entity.trip_update.stop_time_update
        if calls and trip.schedule_relationship != trip.CANCELED:
            yield trip, calls


def _is_skipped(one: Any) -> bool:
    is_skipped: bool = one.schedule_relationship == one.SKIPPED
    return is_skipped


def _is_of(arrival: Mapping[str, Any], route: str | None) -> bool:
    return route is None or line_of(arrival["route"]) == line_of(route)


def _row(stop_id: str, name: str, routes: str, station: str) -> dict[str, str]:
    values = (stop_id, name, routes, station)
    return dict(zip(COLUMNS.split(","), values, strict=True))


arrivals = Endpoint(
    name="transit-subway-arrivals", vendor=MTA, category="science",
    summary="The next subway trains at a stop in New York.",
    docs=DOCS, access=FREE_READ, seconds=20, takes=Arrivals, run=_arrivals,
    cache=Cache(seconds=20, shared=True),
    gives=Shape(
        stop=Within("stop", Shape(
            id="id", name=Str("name", about="Its id, if the list of stations fails."),
            ids=Each("ids", Str("", about="Of each of the station's stops.")),
        )),
        arrivals=Each("arrivals", Shape(
            route="route", direction=Maybe("direction"), stopId="stopId", time="time",
            minutes=Int("minutes", about="From when the train's own feed was made."),
            tripId="tripId",
            headsign=Maybe(Str("headsign", about="The last stop of the trip.")),
        )),
        feedTimestamp=Str("feedTimestamp", about="When the oldest feed that was read was made."),
    ),
    examples=(Example(
        {"stop": "Times Square", "route": "1", "direction": "north", "limit": 5},
        (
            Exchange(
                f"GET {PATH}?$select={COLUMNS}&$limit={MOST}",
                [
                    _row("127", "Times Sq-42 St", "1 2 3", "611"),
                    _row("101", "Van Cortlandt Park-242 St", "1", "293"),
                ],
                base=STATIONS,
            ),
            Exchange(f"GET {FEEDS}/nyct%2Fgtfs", File("mta/feed.pb"), serves=f"{FEEDS}/{{feed}}"),
        ),
    ),),
)  # fmt: skip

ENDPOINTS = (arrivals,)
