"""Baseball: leagues, teams, games and tables. All endpoints only read.

Source: api-sports.io/documentation/baseball/v1. Major League Baseball is league 1.
"""

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.fields import Words
from service.integrations.declare.shape import Bool, Int, Maybe, Shape, Within
from service.integrations.vendors.api_sports.parameters import (
    GameFilters,
    LeagueFilters,
    StandingsFilters,
    TeamFilters,
    year,
)
from service.integrations.vendors.api_sports.shapes import TABLE, TEAMS, game_list, league_list
from service.integrations.vendors.api_sports.vendor import BASEBALL, DOCS, examples, fetch

BASEBALL_DOCS = f"{DOCS}/baseball/v1"
SEASON = Maybe(Int("season"))
# `extra` has the runs of all innings after the ninth.
INNINGS = Shape(**{name: Maybe(Int(name)) for name in (*"123456789", "extra")})
SCORE = Shape(
    hits=Maybe(Int("hits")), errors=Maybe(Int("errors")),
    innings=Maybe(Within("innings", INNINGS)), total=Maybe(Int("total")),
)  # fmt: skip


class Leagues(LeagueFilters):
    season = year("Only leagues with a season of this year.")


leagues = Endpoint(
    name="baseball/leagues", vendor=BASEBALL, category="sports",
    summary="Baseball leagues and cups, with their seasons.",
    docs=f"{BASEBALL_DOCS}#tag/Leagues", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Leagues, asks=fetch("/leagues"),
    gives=league_list(SEASON, current=Maybe(Bool("current"))),
    examples=examples(
        "baseball_leagues",
        ({"id": 1, "season": 2023}, "/leagues?id=1&season=2023"),
        (
            {"name": "MLB", "countryId": 1, "country": "USA", "type": "league", "search": "MLB"},
            "/leagues?name=MLB&country_id=1&country=USA&type=league&search=MLB",
        ),
    ),
)  # fmt: skip


class Teams(TeamFilters):
    season = year("Only teams of the season of this year; needs the league too.")


teams = Endpoint(
    name="baseball/teams", vendor=BASEBALL, category="sports",
    summary="Baseball teams.",
    docs=f"{BASEBALL_DOCS}#tag/Teams", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Teams, asks=fetch("/teams"), gives=TEAMS,
    examples=examples(
        "baseball_teams",
        ({"search": "Tigers"}, "/teams?search=Tigers"),
        (
            {"id": 12, "name": "Detroit Tigers", "countryId": 1, "league": 1, "season": 2023},
            "/teams?id=12&name=Detroit+Tigers&country_id=1&league=1&season=2023",
        ),
    ),
)  # fmt: skip


class Games(GameFilters):
    season = year("Only games of the season of this year.")


games = Endpoint(
    name="baseball/games", vendor=BASEBALL, category="sports",
    summary="Baseball games, with their scores inning by inning.",
    docs=f"{BASEBALL_DOCS}#tag/Games", access=FREE_READ, seconds=30,
    cache=Cache(seconds=60, shared=True),
    takes=Games, asks=fetch("/games"), gives=game_list(SEASON, SCORE),
    examples=examples(
        "baseball_games",
        (
            {
                "date": "2023-04-19", "league": 1, "season": 2023,
                "team": 25, "timezone": "America/New_York",
            },
            "/games?date=2023-04-19&league=1&season=2023&team=25&timezone=America%2FNew_York",
        ),
        ({"id": 136448}, "/games?id=136448"),
    ),
)  # fmt: skip


class Standings(StandingsFilters):
    season = year("The season's year.", required=True)
    stage = Words("Only this stage, such as `MLB - Regular Season`.", most=100, to="query.stage")
    group = Words("Only this group, such as `AL East`.", most=100, to="query.group")


standings = Endpoint(
    name="baseball/standings", vendor=BASEBALL, category="sports",
    summary="The tables of a baseball league, row by row: each team is in several of them.",
    docs=f"{BASEBALL_DOCS}#tag/Standings", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Standings, asks=fetch("/standings"), gives=TABLE,
    examples=examples(
        "baseball_standings",
        ({"league": 1, "season": 2022, "team": 5}, "/standings?league=1&season=2022&team=5"),
        (
            {"league": 1, "season": 2022, "stage": "MLB - Regular Season", "group": "AL East"},
            "/standings?league=1&season=2022&stage=MLB+-+Regular+Season&group=AL+East",
        ),
    ),
)  # fmt: skip

ENDPOINTS = (leagues, teams, games, standings)
