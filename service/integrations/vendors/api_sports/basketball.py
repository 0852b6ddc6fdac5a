"""Basketball: leagues, teams, games, tables and players' figures. All endpoints only read.

Source: api-sports.io/documentation/basketball/v1.
"""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.fields import Count, Parameters, Several, Words
from service.integrations.declare.shape import Each, Int, Maybe, Num, Raw, Shape, Within
from service.integrations.vendors.api_sports.parameters import (
    MAX_ID,
    GameFilters,
    LeagueFilters,
    StandingsFilters,
    TeamFilters,
    id_of,
)
from service.integrations.vendors.api_sports.shapes import (
    TABLE,
    TEAMS,
    game_list,
    league_list,
    text_of,
)
from service.integrations.vendors.api_sports.vendor import BASKETBALL, DOCS, examples, fetch

BASKETBALL_DOCS = f"{DOCS}/basketball/v1"
NBA = {"league": 12, "season": "2019-2020"}
SCORE = Shape(
    quarter1=Maybe(Int("quarter_1")), quarter2=Maybe(Int("quarter_2")),
    quarter3=Maybe(Int("quarter_3")), quarter4=Maybe(Int("quarter_4")),
    overTime=Maybe(Int("over_time")), total=Maybe(Int("total")),
)  # fmt: skip
SHOTS = Shape(
    total=Maybe(Int("total")), attempts=Maybe(Int("attempts")), percentage=Maybe(Num("percentage"))
)
FIGURES = Shape(
    gameId=Int("game.id"), teamId=Maybe(Int("team.id")),
    player=Shape(id=Int("player.id"), name=Maybe("player.name")), role=Maybe("type"),
    minutes=Maybe("minutes"), points=Maybe(Int("points")), assists=Maybe(Int("assists")),
    rebounds=Maybe(Int("rebounds.total")), fieldGoals=Maybe(Within("field_goals", SHOTS)),
    threePointers=Maybe(Within("threepoint_goals", SHOTS)),
    freeThrows=Maybe(Within("freethrows_goals", SHOTS)),
)  # fmt: skip


def season_of(about: str, *, required: bool = False) -> Words:
    return Words(
        f"{about} One year or two, as the league names it: `2019-2020` for the NBA.",
        most=9, pattern=r"^[0-9]{4}(-[0-9]{4})?$", to="query.season", required=required,
    )  # fmt: skip


class Leagues(LeagueFilters):
    season = season_of("Only leagues with this season.")


leagues = Endpoint(
    name="basketball/leagues", vendor=BASKETBALL, category="sports",
    summary="Basketball leagues and cups, with their seasons.",
    docs=f"{BASKETBALL_DOCS}#tag/Leagues", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Leagues, asks=fetch("/leagues"),
    gives=league_list(
        text_of("season"), coverage=Maybe(Raw("coverage", about="Which data there are."))
    ),
    examples=examples(
        "basketball_leagues",
        ({"id": 12, "season": "2023-2024"}, "/leagues?id=12&season=2023-2024"),
        ({"name": "NBA", "countryId": 5}, "/leagues?name=NBA&country_id=5"),
        ({"country": "USA", "type": "league", "search": "NBA"},
         "/leagues?country=USA&type=league&search=NBA"),
    ),
)  # fmt: skip


class Teams(TeamFilters):
    season = season_of("Only teams of this season; needs the league too.")


teams = Endpoint(
    name="basketball/teams", vendor=BASKETBALL, category="sports",
    summary="Basketball teams.",
    docs=f"{BASKETBALL_DOCS}#tag/Teams", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Teams, asks=fetch("/teams"), gives=TEAMS,
    examples=examples(
        "basketball_teams",
        ({**NBA, "search": "Denver"}, "/teams?league=12&season=2019-2020&search=Denver"),
        ({"name": "Denver Nuggets", "countryId": 5}, "/teams?name=Denver+Nuggets&country_id=5"),
        ({"id": 139}, "/teams?id=139"),
    ),
)  # fmt: skip


class Games(GameFilters):
    season = season_of("Only games of this season.")


games = Endpoint(
    name="basketball/games", vendor=BASKETBALL, category="sports",
    summary="Basketball games, with their scores.",
    docs=f"{BASKETBALL_DOCS}#tag/Games", access=FREE_READ, seconds=30,
    cache=Cache(seconds=60, shared=True),
    takes=Games, asks=fetch("/games"), gives=game_list(text_of("season"), SCORE),
    examples=examples(
        "basketball_games",
        ({"date": "2019-11-23", **NBA, "team": 134, "timezone": "Europe/London"},
         "/games?date=2019-11-23&league=12&season=2019-2020&team=134&timezone=Europe%2FLondon"),
        ({"id": 1911}, "/games?id=1911"),
    ),
)  # fmt: skip


class Standings(StandingsFilters):
    season = season_of("The season.", required=True)


standings = Endpoint(
    name="basketball/standings", vendor=BASKETBALL, category="sports",
    summary="The tables of a basketball league, row by row.",
    docs=f"{BASKETBALL_DOCS}#tag/Standings", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Standings, asks=fetch("/standings"), gives=TABLE,
    examples=examples(
        "basketball_standings",
        ({**NBA, "team": 137, "stage": "NBA - Regular Season", "group": "Eastern Conference"},
         "/standings?league=12&season=2019-2020&team=137&stage=NBA+-+Regular+Season"
         "&group=Eastern+Conference"),
    ),
)  # fmt: skip


class PlayerStats(Parameters):
    game = id_of("One game's number.", to="id")
    games = Several(
        Count(least=1, most=MAX_ID), "The numbers of several games.",
        least=1, most=20, joined="-", to="query.ids",
    )  # fmt: skip
    player = id_of("A player's number: all games of a season.", to="player")
    season = season_of("The season, for a player.")

    @validates_schema
    def check_choice(self, data: dict[str, Any], **kwargs: Any) -> None:
        if sum(name in data for name in ("game", "games", "player")) != 1:
            raise ValidationError("Give either a game, or games, or a player.", "game")
        if ("player" in data) != ("season" in data):
            raise ValidationError("A player and a season go together.", "season")


player_stats = Endpoint(
    name="basketball/player-stats", vendor=BASKETBALL, category="sports",
    summary="The statistics of basketball players in games, or in each game of a season.",
    docs=f"{BASKETBALL_DOCS}#tag/Games", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=PlayerStats, asks=fetch("/games/statistics/players"),
    gives=Shape(stats=Each("response", FIGURES)),
    examples=examples(
        "basketball_player_stats",
        ({"game": 391053}, "/games/statistics/players?id=391053"),
        ({"games": [391053, 391054]}, "/games/statistics/players?ids=391053-391054"),
        ({"player": 4237, "season": "2023-2024"},
         "/games/statistics/players?player=4237&season=2023-2024"),
    ),
)  # fmt: skip

ENDPOINTS = (leagues, teams, games, standings, player_stats)
