"""Find the stops that a caller means, by id or by words of the station's name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.faults import not_found
from service.integrations.declare.reading import as_list
from service.integrations.declare.request import get
from service.integrations.declare.shape import Shape
from service.integrations.vendors.mta.vendor import STATIONS, line_of
from service.web.errors import InvalidRequest, ServiceError

PATH = "/resource/39hk-dx4f.json"  # a row for each stop of a line; a station has one or more
COLUMNS = "gtfs_stop_id,stop_name,daytime_routes,complex_id"
MOST = 2000  # there are about 500
LIST = get(PATH, query={"$select": COLUMNS, "$limit": MOST}, base=STATIONS)
ROW = Shape(id="gtfs_stop_id", name="stop_name", routes="daytime_routes", station="complex_id")

STOP_ID = re.compile("([A-Z0-9]{3})([NS]?)")
ABBREVIATED = {
    "avenue": "av", "ave": "av", "boulevard": "blvd", "center": "ctr", "heights": "hts",
    "parkway": "pkwy", "place": "pl", "road": "rd", "square": "sq", "street": "st",
}  # fmt: skip
DIRECTIONS = {"N": "north", "S": "south"}


@dataclass(frozen=True)
class Stop:
    """A stop of a line. Stops between which people can change share a `station`."""

    id: str
    name: str
    routes: str
    station: str

    @property
    def words(self) -> set[str]:
        return _words(self.name)


def known_stops(call: Call, stop: str) -> list[Stop]:
    """Fetch all stops. If the list of stations fails, return only the stop that an id means.

    Arrivals need only ids, and the list is on another host. Such a stop has its id for a name.
    Raises `ServiceError`.
    """
    try:
        return [Stop(**ROW.read(row)) for row in as_list(call.send(LIST.with_parts()))]
    except ServiceError:
        if match := _id_in(stop):
            return [Stop(id=match[1], name=match[1], routes="", station=match[1])]
        raise


def chosen(stops: Sequence[Stop], stop: str, route: str | None) -> tuple[list[Stop], str | None]:
    """Return the stops that a text means, all of one station, and the direction that it names.

    Raises `NotFound`, and `InvalidRequest` for the name of several stations.
    """
    match = _id_in(stop)
    if match and (found := [one for one in stops if one.id == match[1]]):
        return found, DIRECTIONS.get(match[2])
    return _find_by_name(stops, stop, route), None


def _id_in(stop: str) -> re.Match[str] | None:
    return STOP_ID.fullmatch(stop.strip().upper())


def _find_by_name(stops: Sequence[Stop], name: str, route: str | None) -> list[Stop]:
    words = _words(name)
    found = [one for one in stops if words and words <= one.words and _has_line(one, route)]
    found = [one for one in found if one.words == words] or found
    if not found:
        raise not_found()
    if len({one.station for one in found}) > 1:
        several = ", ".join(f"{one.id} ({one.routes})" for one in found[:20])
        raise InvalidRequest(details={"stop": [f"Several stations: {several}. Give a stop's id."]})
    return found


def _has_line(stop: Stop, route: str | None) -> bool:
    """Return whether a line stops there. The list calls all shuttles S."""
    wanted = {"S"} if route in ("S", "GS", "FS", "H") else {line_of(route or "")}
    wanted |= {"SIR"} if route == "SI" else set()
    return route is None or not wanted.isdisjoint(stop.routes.split())


def _words(name: str) -> set[str]:
    words = re.findall(r"\w+", name.casefold())
    return {ABBREVIATED.get(word, word) for word in words}


def facts(stops: Sequence[Stop]) -> Mapping[str, Any]:
    return {"id": stops[0].id, "name": stops[0].name, "ids": [one.id for one in stops]}
