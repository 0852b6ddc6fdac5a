"""A race: its laps, pit stops and qualifying, and the sprint of its weekend."""

from dataclasses import replace
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File, example
from service.integrations.declare.fields import Count, Words
from service.integrations.declare.reading import need, objects
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.shape import Each, Made, Maybe, Shape, Str, Values, Within
from service.integrations.vendors.jolpica.vendor import (
    DOCS,
    DRIVER,
    FULL_PAGE,
    JOLPICA,
    RACE,
    Page,
    Season,
)

RACES = "MRData.RaceTable.Races"


def _race(answer: Any, values: Values) -> dict[str, Any] | None:
    """Return the race, or None if the vendor has no laps, stops or results of it."""
    races = objects(need(answer, RACES))
    return RACE.read(races[0]) if races else None


def _entries(name: str, shape: Shape) -> Each:
    """Read the race's list under a name, or an empty list without a race."""
    return Each(f"{RACES}.0.{name}", shape, default=())


OF_RACE = Shape(race=Made(Maybe(RACE), _race))
TIMING = Shape(
    driverId="driverId",
    position=Maybe("position"),
    time=Maybe(Str("time", about="Minutes and seconds, such as `1:39.019`.")),
)
LAPS = Shape(
    OF_RACE, laps=_entries("Laps", Shape(lap="number", timings=Each("Timings", TIMING))),
    total="MRData.total", offset="MRData.offset",
)  # fmt: skip
STOP = Shape(
    driverId="driverId", stop=Maybe("stop"), lap=Maybe("lap"),
    time=Maybe(Str("time", about="The time of the day at the circuit.")),
    duration=Maybe(Str("duration", about="Such as `24.563`: seconds, after minutes if any.")),
)  # fmt: skip
RESULT = Shape(
    position=Maybe("position"), driver=Within("Driver", DRIVER),
    constructor=Maybe("Constructor.name"),
)  # fmt: skip
QUALIFYING_RESULT = Shape(RESULT, q1=Maybe("Q1"), q2=Maybe("Q2"), q3=Maybe("Q3"))
SPRINT_RESULT = Shape(
    RESULT, points=Maybe("points"), grid=Maybe("grid"), laps=Maybe("laps"),
    status=Maybe("status"), time=Maybe("Time.time"),
)  # fmt: skip


class Race(Season):
    round = Words(
        "The race's number in the season, or `last`.", pattern="^([1-9][0-9]?|last)$",
        to="path.round", default="last",
    )  # fmt: skip


class Laps(Race, Page):
    lap = Count("Only this lap.", least=1, most=999)
    driverId = Words(
        "Only the laps of this driver, such as `max_verstappen`.",
        pattern="^[A-Za-z0-9_-]{1,100}$",
    )  # fmt: skip


def _laps(
    call: Call, request: Outgoing, *, lap: int | None = None, driver_id: str | None = None
) -> dict[str, Any]:
    race, _, laps = request.path.rpartition("/")
    path = f"{race}/drivers/{driver_id}/{laps}" if driver_id else f"{race}/{laps}"
    if lap:
        path = path.replace("/laps.json", f"/laps/{lap}.json")
    return LAPS.read(call.send(replace(request, path=path)))


def _example(asks: dict[str, Any], path: str, serves: str) -> Example:
    answers = File(f"jolpica/{'driver_laps' if 'driverId' in asks else 'laps'}.json")
    exchange = Exchange(f"GET /2023/1{path}?limit=100&offset=0", answers, serves=serves)
    return Example({"season": "2023", "round": "1", **asks}, (exchange,))


lap_times = Endpoint(
    name="racing-lap-times", vendor=JOLPICA, category="sports",
    summary="Lap times of a race, from 1996 on, lap by lap; `total` counts the times.",
    docs=f"{DOCS}/laps.md", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Laps, asks=get("/{season}/{round}/laps.json", query=FULL_PAGE), run=_laps, gives=LAPS,
    examples=(
        _example({}, "/laps.json", "/{season}/{round}/laps.json"),
        _example({"lap": 1}, "/laps/1.json", "/{season}/{round}/laps/{lap}.json"),
        _example(
            {"driverId": "leclerc"}, "/drivers/leclerc/laps.json",
            "/{season}/{round}/drivers/{driver}/laps.json",
        ),
        _example(
            {"driverId": "leclerc", "lap": 1}, "/drivers/leclerc/laps/1.json",
            "/{season}/{round}/drivers/{driver}/laps/{lap}.json",
        ),
    ),
)  # fmt: skip


class Stops(Race, Page):
    pass


pit_stops = Endpoint(
    name="racing-pit-stops", vendor=JOLPICA, category="sports",
    summary="Pit stops of a race, from 2011 on, in the order of their times.",
    docs=f"{DOCS}/pitstops.md", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Stops, asks=get("/{season}/{round}/pitstops.json", query=FULL_PAGE),
    gives=Shape(OF_RACE, pitStops=_entries("PitStops", STOP)),
    examples=(example(
        {"season": "2023", "round": "18"}, "GET /2023/18/pitstops.json?limit=100&offset=0",
        File("jolpica/pit_stops.json"),
    ),),
)  # fmt: skip

qualifying = Endpoint(
    name="racing-qualifying", vendor=JOLPICA, category="sports",
    summary="The qualifying results of a race, with the times of the three rounds.",
    docs=f"{DOCS}/qualifying.md", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Race, asks=get("/{season}/{round}/qualifying.json", query=FULL_PAGE),
    gives=Shape(OF_RACE, results=_entries("QualifyingResults", QUALIFYING_RESULT)),
    examples=(example(
        {"season": "2023", "round": "13"}, "GET /2023/13/qualifying.json?limit=100",
        File("jolpica/qualifying.json"),
    ),),
)  # fmt: skip

sprint = Endpoint(
    name="racing-sprint", vendor=JOLPICA, category="sports",
    summary="The sprint of a race weekend. `race` is null if there was none.",
    docs=f"{DOCS}/sprint.md", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Race, asks=get("/{season}/{round}/sprint.json", query=FULL_PAGE),
    gives=Shape(OF_RACE, results=_entries("SprintResults", SPRINT_RESULT)),
    examples=(example(
        {"season": "2024", "round": "5"}, "GET /2024/5/sprint.json?limit=100",
        File("jolpica/sprint.json"),
    ),),
)  # fmt: skip

ENDPOINTS = (lap_times, pit_stops, qualifying, sprint)
