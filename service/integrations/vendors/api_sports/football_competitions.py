"""Football: leagues, teams and tables."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.fields import Count, Parameters, Switch, Words
from service.integrations.declare.reading import as_list, as_object, need, objects
from service.integrations.declare.shape import (
    Bool,
    Each,
    Int,
    Made,
    Maybe,
    Shape,
    Values,
    Within,
)
from service.integrations.vendors.api_sports.parameters import (
    COUNTRY,
    KIND,
    NAME,
    SEARCH,
    Filters,
    id_of,
    year,
)
from service.integrations.vendors.api_sports.shapes import NAMED
from service.integrations.vendors.api_sports.vendor import DOCS, FOOTBALL, examples, fetch

FOOTBALL_DOCS = f"{DOCS}/football/v3"
SEASON = Shape(
    year=Int("year"), start=Maybe("start"), end=Maybe("end"), current=Maybe(Bool("current"))
)
LEAGUE = Shape(
    id=Int("league.id"), name=Maybe("league.name"), type=Maybe("league.type"),
    logo=Maybe("league.logo"), country=Maybe("country.name"), countryCode=Maybe("country.code"),
    seasons=Each("seasons", SEASON, default=()),
)  # fmt: skip
VENUE = Shape(
    id=Maybe(Int("id")), name=Maybe("name"), city=Maybe("city"), capacity=Maybe(Int("capacity"))
)
TEAM = Shape(
    id=Int("team.id"), name=Maybe("team.name"), code=Maybe("team.code"),
    country=Maybe("team.country"), founded=Maybe(Int("team.founded")),
    national=Maybe(Bool("team.national")), logo=Maybe("team.logo"),
    venue=Maybe(Within("venue", VENUE)),
)  # fmt: skip
COMPETITION = Shape(
    id=Int("id"), name=Maybe("name"), country=Maybe("country"), season=Maybe(Int("season"))
)
ROW = Shape(
    rank=Int("rank"), team=Within("team", NAMED), points=Maybe(Int("points")),
    goalDifference=Maybe(Int("goalsDiff")), form=Maybe("form"), played=Maybe(Int("all.played")),
    won=Maybe(Int("all.win")), drawn=Maybe(Int("all.draw")), lost=Maybe(Int("all.lose")),
    goalsFor=Maybe(Int("all.goals.for")), goalsAgainst=Maybe(Int("all.goals.against")),
    description=Maybe("description"),
)  # fmt: skip
GROUP = Shape(
    name=Maybe("rows.0.group"), league=Within("league", COMPETITION), table=Each("rows", ROW)
)


class Leagues(Parameters):
    id = id_of("The league's number.", to="id")
    name = NAME
    country = COUNTRY
    code = Words(
        "Only those of this country, by its code, such as `FR` or `GB-ENG`.",
        least=2, most=6, to="query.code",
    )  # fmt: skip
    season = year("Only leagues with this season, by the year in which it begins.")
    team = id_of("Only those in which this team has played.", to="team")
    type = KIND
    current = Switch("Only leagues whose season is in progress, or is not.", to="query.current")
    search = Words(
        "A piece of the league's or the country's name.", least=3, most=100, to="query.search"
    )
    last = Count("Only so many that were added last.", least=1, most=99, to="query.last")


leagues = Endpoint(
    name="football/leagues", vendor=FOOTBALL, category="sports",
    summary="Football leagues and cups, with their seasons.",
    docs=f"{FOOTBALL_DOCS}#tag/Leagues", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Leagues, asks=fetch("/leagues"), gives=Shape(leagues=Each("response", LEAGUE)),
    examples=examples(
        "football_leagues",
        ({"country": "England", "season": 2019, "type": "league", "current": True},
         "/leagues?country=England&season=2019&type=league&current=true"),
        ({"id": 39}, "/leagues?id=39"),
        ({"name": "Premier League", "code": "GB-ENG"}, "/leagues?name=Premier+League&code=GB-ENG"),
        ({"team": 33, "search": "premier"}, "/leagues?team=33&search=premier"),
        ({"last": 99}, "/leagues?last=99"),
    ),
)  # fmt: skip


class Teams(Filters):
    id = id_of("The team's number.", to="id")
    name = NAME
    league = id_of("Only those in this league.", to="league")
    season = year("Only those that play in this season, by the year in which it begins.")
    country = COUNTRY
    code = Words("The team's code, such as `MUN`.", least=3, most=3, to="query.code")
    venue = id_of("Only the teams of this venue.", to="venue")
    search = SEARCH


teams = Endpoint(
    name="football/teams", vendor=FOOTBALL, category="sports",
    summary="Football teams, with their venues.",
    docs=f"{FOOTBALL_DOCS}#tag/Teams", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Teams, asks=fetch("/teams"), gives=Shape(teams=Each("response", TEAM)),
    examples=examples(
        "football_teams",
        ({"league": 39, "season": 2019, "search": "manches"},
         "/teams?league=39&season=2019&search=manches"),
        ({"id": 33}, "/teams?id=33"),
        ({"name": "Manchester United", "country": "England", "code": "MUN", "venue": 556},
         "/teams?name=Manchester+United&country=England&code=MUN&venue=556"),
    ),
)  # fmt: skip


class Standings(Parameters):
    league = id_of("The league's number; or give a team.", to="league")
    season = year(required=True)
    team = id_of("A team's number: the tables of its leagues, or its row of one.", to="team")

    @validates_schema
    def check_filters(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not data.keys() & {"league", "team"}:
            raise ValidationError("Give a league, or a team, or both.", "league")


def _groups(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return the tables of all leagues. Each league has a list of tables."""
    leagues = [as_object(need(item, "league")) for item in objects(need(answer, "response"))]
    tables = [(league, rows) for league in leagues for rows in as_list(need(league, "standings"))]
    return [GROUP.read({"league": league, "rows": rows}, values) for league, rows in tables]


standings = Endpoint(
    name="football/standings", vendor=FOOTBALL, category="sports",
    summary="The tables of a football league, or of all leagues of a team.",
    docs=f"{FOOTBALL_DOCS}#tag/Standings", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Standings, asks=fetch("/standings"),
    # A team may be in several leagues: `league` is the first one, each group has its own.
    gives=Shape(
        league=Maybe(Within("response.0.league", COMPETITION)),
        groups=Made(Each("", GROUP), _groups),
    ),
    examples=examples(
        "football_standings",
        ({"league": 39, "season": 2019}, "/standings?league=39&season=2019"),
        ({"team": 40, "season": 2019}, "/standings?season=2019&team=40"),
    ),
)  # fmt: skip

ENDPOINTS = (leagues, teams, standings)
