"""A season: its races, and the championships of drivers and constructors."""

from dataclasses import replace
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import Example, Exchange, File, example
from service.integrations.declare.fields import Words
from service.integrations.declare.json_paths import find
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

TABLE = "MRData.StandingsTable"
STANDINGS = f"{TABLE}.StandingsLists.0"  # there is none before the first race


def _position(standing: Any, values: Values) -> str | None:
    """Return the position or a letter: `E` is excluded, `D` disqualified, `-` not eligible."""
    texts = (find(standing, "position"), find(standing, "positionText"))
    return next((text for text in texts if isinstance(text, str)), None)


def _sprint_qualifying(race: Any, values: Values) -> Any:
    """Return the sprint's qualifying, which the vendor calls a shootout in 2023."""
    name = "SprintShootout" if find(race, "SprintShootout") else "SprintQualifying"
    return Maybe(Within(name, SESSION)).read(race, values)


SESSION = Shape(date="date", time=Maybe(Str("time", about="In UTC.")))
SESSIONS = Shape(
    practice1=Maybe(Within("FirstPractice", SESSION)),
    practice2=Maybe(Within("SecondPractice", SESSION)),
    practice3=Maybe(Within("ThirdPractice", SESSION)),
    qualifying=Maybe(Within("Qualifying", SESSION)), sprint=Maybe(Within("Sprint", SESSION)),
    sprintQualifying=Made(Maybe(SESSION), _sprint_qualifying),
)  # fmt: skip
STANDING = Shape(
    position=Made(Maybe(""), _position), points="points", wins=Maybe("wins"),
)  # fmt: skip
CHAMPIONSHIP = Shape(season=f"{TABLE}.season", round=Maybe(f"{STANDINGS}.round"))
DRIVERS = Shape(CHAMPIONSHIP, standings=Each(f"{STANDINGS}.DriverStandings", Shape(
    STANDING, driver=Within("Driver", DRIVER),
    constructors=Each("Constructors", "name", default=()),
), default=()))  # fmt: skip
CONSTRUCTORS = Shape(CHAMPIONSHIP, standings=Each(f"{STANDINGS}.ConstructorStandings", Shape(
    STANDING, constructor=Within("Constructor", Shape(
        id="constructorId", name=Maybe("name"), nationality=Maybe("nationality"),
    )),
), default=()))  # fmt: skip


class Schedule(Season, Page):
    pass


schedule = Endpoint(
    name="racing-schedule", vendor=JOLPICA, category="sports",
    summary="The races of a season, with the times of their sessions in UTC.",
    docs=f"{DOCS}/races.md", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Schedule, asks=get("/{season}/races.json", query=FULL_PAGE),
    gives=Shape(
        season="MRData.RaceTable.season",
        races=Each("MRData.RaceTable.Races", Shape(RACE, sessions=SESSIONS)),
    ),
    examples=(example(
        {"season": "2023"}, "GET /2023/races.json?limit=100&offset=0",
        File("jolpica/schedule.json"),
    ),),
)  # fmt: skip


class Standings(Season):
    round = Words(
        "The number of a race, or `last`: the standings after it. Without it, the newest.",
        pattern="^([1-9][0-9]?|last)$",
    )  # fmt: skip


def _at_round(request: Outgoing, round: str | None) -> Outgoing:
    if round is None:
        return request
    season, _, table = request.path.rpartition("/")
    return replace(request, path=f"{season}/{round}/{table}")


def _drivers(call: Call, request: Outgoing, *, round: str | None = None) -> dict[str, Any]:
    return DRIVERS.read(call.send(_at_round(request, round)))


def _constructors(call: Call, request: Outgoing, *, round: str | None = None) -> dict[str, Any]:
    return CONSTRUCTORS.read(call.send(_at_round(request, round)))


driver_standings = Endpoint(
    name="racing-driver-standings", vendor=JOLPICA, category="sports",
    summary="The drivers' championship: now, or after a race.",
    docs=f"{DOCS}/driverStandings.md", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Standings, asks=get("/{season}/driverstandings.json", query=FULL_PAGE), run=_drivers,
    gives=DRIVERS,
    examples=(
        example(
            {}, "GET /current/driverstandings.json?limit=100", File("jolpica/drivers.json")
        ),
        Example({"season": "2023", "round": "5"}, (Exchange(
            "GET /2023/5/driverstandings.json?limit=100", File("jolpica/drivers.json"),
            serves="/{season}/{round}/driverstandings.json",
        ),)),
    ),
)  # fmt: skip

constructor_standings = Endpoint(
    name="racing-constructor-standings", vendor=JOLPICA, category="sports",
    summary="The constructors' championship: now, or after a race.",
    docs=f"{DOCS}/constructorStandings.md", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Standings, asks=get("/{season}/constructorstandings.json", query=FULL_PAGE),
    run=_constructors, gives=CONSTRUCTORS,
    examples=(
        example(
            {}, "GET /current/constructorstandings.json?limit=100",
            File("jolpica/constructors.json"),
        ),
        Example({"season": "2023", "round": "13"}, (Exchange(
            "GET /2023/13/constructorstandings.json?limit=100",
            File("jolpica/constructors.json"),
            serves="/{season}/{round}/constructorstandings.json",
        ),)),
    ),
)  # fmt: skip

ENDPOINTS = (schedule, driver_standings, constructor_standings)
