"""American football: leagues, teams, games, tables, players' figures. All endpoints only read.

Source: api-sports.io/documentation/nfl/v1. The NFL is league 1, college football (NCAA) league 2.
"""

from typing import Any

from marshmallow import post_load

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.fields import Choice, Count, Parameters, Switch, Words
from service.integrations.declare.shape import Bool, Each, Int, Maybe, Raw, Shape, Within
from service.integrations.vendors.api_sports.parameters import (
    DATE,
    MAX_ID,
    NAME,
    SEARCH,
    ZONE,
    Filters,
    id_of,
    year,
)
from service.integrations.vendors.api_sports.shapes import NAMED, side, text_of
from service.integrations.vendors.api_sports.vendor import DOCS, NFL, examples, fetch

NFL_DOCS = f"{DOCS}/nfl/v1"
NFL_LEAGUE = 1

SEASON = Shape(
    year=Int("year"), start=Maybe("start"), end=Maybe("end"), current=Maybe(Bool("current")),
    coverage=Maybe(Raw("coverage", about="Which data there are.")),
)  # fmt: skip
LEAGUE = Shape(
    id=Int("league.id"), name=Maybe("league.name"), logo=Maybe("league.logo"),
    country=Maybe("country.name"), countryCode=Maybe("country.code"),
    seasons=Each("seasons", SEASON, default=()),
)  # fmt: skip
TEAM = Shape(
    NAMED, code=Maybe("code"), city=Maybe("city"), coach=Maybe("coach"), stadium=Maybe("stadium")
)
SCORE = Shape(
    quarter1=Maybe(Int("quarter_1")), quarter2=Maybe(Int("quarter_2")),
    quarter3=Maybe(Int("quarter_3")), quarter4=Maybe(Int("quarter_4")),
    overtime=Maybe(Int("overtime")), total=Maybe(Int("total")),
)  # fmt: skip
GAME = Shape(
    id=Int("game.id"), date=Maybe("game.date.date"), time=Maybe("game.date.time"),
    timestamp=Maybe(Int("game.date.timestamp", about="Seconds since 1970.")),
    stage=Maybe("game.stage"),
    week=text_of("game.week"), status=Maybe("game.status.short"),
    statusText=Maybe("game.status.long"), venue=Maybe("game.venue.name"),
    league=Within("league", Shape(
        id=Int("id"), name=Maybe("name"), season=text_of("season"),
    )),
    home=side("home"), away=side("away"),
    scores=Shape(
        home=Maybe(Within("scores.home", SCORE)), away=Maybe(Within("scores.away", SCORE))
    ),
)  # fmt: skip
RECORDS = Shape(
    home=Maybe("home"), road=Maybe("road"), conference=Maybe("conference"),
    division=Maybe("division"),
)  # fmt: skip
ROW = Shape(
    position=Maybe(Int("position")), conference=Maybe("conference"), division=Maybe("division"),
    team=Within("team", NAMED), won=Maybe(Int("won")), lost=Maybe(Int("lost")),
    ties=Maybe(Int("ties")), pointsFor=Maybe(Int("points.for")),
    pointsAgainst=Maybe(Int("points.against")), pointDifference=Maybe(Int("points.difference")),
    records=Maybe(Within("records", RECORDS)), streak=Maybe("streak"),
)  # fmt: skip
GROUP = Shape(name="name", stats=Each("statistics", Shape(
    name="name", value=Maybe(Raw("value", about="A text such as `1,516`, or a number.")),
), default=()))  # fmt: skip
PLAYER = Shape(
    player=Within("player", Shape(id=Int("id"), name=Maybe("name"), image=Maybe("image"))),
    teams=Each("teams", Shape(
        team=Within("team", NAMED), groups=Each("groups", GROUP, default=()),
    ), default=()),
)  # fmt: skip


class Leagues(Parameters):
    id = id_of("The league's number: 1 is the NFL, 2 is college football.", to="id")
    season = year("Only leagues with the season that begins in this year.")
    current = Switch(
        "Only leagues whose season is running, or only the others.", to="query.current"
    )


leagues = Endpoint(
    name="nfl/leagues", vendor=NFL, category="sports",
    summary="Leagues of American football, with their seasons.",
    docs=f"{NFL_DOCS}#tag/Leagues", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Leagues, asks=fetch("/leagues"), gives=Shape(leagues=Each("response", LEAGUE)),
    examples=examples(
        "nfl_leagues",
        ({"id": 1, "season": 2022, "current": True}, "/leagues?id=1&season=2022&current=true"),
    ),
)  # fmt: skip


class Teams(Filters):
    needs = {"league": ("season",)}

    id = id_of("The team's number.", to="id")
    league = id_of("Only those in this league; with a season, the NFL's unless given.", to="league")
    season = year("Only teams of the season that begins in this year.")
    name = NAME
    code = Words("The team's letters, such as `LV`.", most=10, to="query.code")
    search = SEARCH

    @post_load
    def add_league(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Add the league to a season, because the vendor takes them only together."""
        return {"league": NFL_LEAGUE, **data} if "season" in data else data


teams = Endpoint(
    name="nfl/teams", vendor=NFL, category="sports",
    summary="Teams of American football, with their coach and stadium.",
    docs=f"{NFL_DOCS}#tag/Teams", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Teams, asks=fetch("/teams"), gives=Shape(teams=Each("response", TEAM)),
    examples=examples(
        "nfl_teams",
        ({"season": 2023}, "/teams?league=1&season=2023"),
        (
            {"id": 1, "name": "Las Vegas Raiders", "code": "LV", "search": "Raiders"},
            "/teams?id=1&name=Las+Vegas+Raiders&code=LV&search=Raiders",
        ),
        ({"league": 2, "season": 2023}, "/teams?league=2&season=2023"),
    ),
)  # fmt: skip


class Games(Filters):
    needs = {"league": ("season", "date"), "team": ("season",)}
    selectors = {"id", "team", "h2h", "live"}

    id = id_of("The game's number.", to="id")
    date = DATE
    league = id_of(
        "Only those in this league; with a season or a day, the NFL's unless a team is given.",
        to="league",
    )  # fmt: skip
    season = year("Only games of the season that begins in this year.")
    team = id_of("Only those of this team; needs the season too.", to="team")
    h2h = Words(
        "Only those between two teams, by their numbers: `1-5`.",
        pattern="^[0-9]{1,10}-[0-9]{1,10}$", to="query.h2h",
    )  # fmt: skip
    live = Choice("all", about="Only games that are being played.", to="query.live")
    timezone = ZONE

    @post_load
    def add_league(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        is_of_league = data.keys() & {"season", "date"} and not data.keys() & self.selectors
        return {"league": NFL_LEAGUE, **data} if is_of_league else data


games = Endpoint(
    name="nfl/games", vendor=NFL, category="sports",
    summary="Games of American football, with their scores.",
    docs=f"{NFL_DOCS}#tag/Games", access=FREE_READ, seconds=30,
    cache=Cache(seconds=60, shared=True),
    takes=Games, asks=fetch("/games"), gives=Shape(games=Each("response", GAME)),
    examples=examples(
        "nfl_games",
        (
            {"date": "2022-09-11", "timezone": "Europe/London"},
            "/games?league=1&date=2022-09-11&timezone=Europe%2FLondon",
        ),
        ({"league": 1, "season": 2022, "team": 10}, "/games?league=1&season=2022&team=10"),
        ({"h2h": "10-22", "live": "all"}, "/games?h2h=10-22&live=all"),
        ({"id": 3957}, "/games?id=3957"),
    ),
)  # fmt: skip


class Standings(Parameters):
    league = Count(
        "The league's number: the NFL's unless given.", least=1, most=MAX_ID,
        to="query.league", default=NFL_LEAGUE,
    )  # fmt: skip
    season = year("The year in which the season begins.", required=True)
    team = id_of("Only this team.", to="team")
    conference = Words(
        "Only this conference, such as `American Football Conference`.", most=100,
        to="query.conference",
    )  # fmt: skip
    division = Words("Only this division, such as `AFC East`.", most=100, to="query.division")


standings = Endpoint(
    name="nfl/standings", vendor=NFL, category="sports",
    summary="The tables of the divisions, row by row.",
    docs=f"{NFL_DOCS}#tag/Standings", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Standings, asks=fetch("/standings"), gives=Shape(table=Each("response", ROW)),
    examples=examples(
        "nfl_standings",
        (
            {
                "season": 2023, "team": 25,
                "conference": "American Football Conference", "division": "AFC East",
            },
            "/standings?league=1&season=2023&team=25"
            "&conference=American+Football+Conference&division=AFC+East",
        ),
    ),
)  # fmt: skip


class PlayerStats(Filters):
    needs = {"season": ("player", "team")}

    player = id_of("The player's number; or give a team.", to="id")
    team = id_of("All players of this team.", to="team")
    season = year("The year in which the season begins.", required=True)


player_stats = Endpoint(
    name="nfl/player-stats", vendor=NFL, category="sports",
    summary="The statistics of a player, or of a team's players, in a season.",
    docs=f"{NFL_DOCS}#tag/Players", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=PlayerStats, asks=fetch("/players/statistics"),
    gives=Shape(players=Each("response", PLAYER)),
    examples=examples(
        "nfl_player_stats",
        ({"player": 10, "team": 1, "season": 2022}, "/players/statistics?id=10&team=1&season=2022"),
    ),
)  # fmt: skip

ENDPOINTS = (leagues, teams, games, standings, player_stats)
