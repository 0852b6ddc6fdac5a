"""Football: players who change their team, and players who can't play."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.fields import Parameters
from service.integrations.declare.shape import Each, Int, Maybe, Shape, Within
from service.integrations.vendors.api_sports.football_competitions import FOOTBALL_DOCS
from service.integrations.vendors.api_sports.football_fixtures import IDS
from service.integrations.vendors.api_sports.parameters import DATE, ZONE, Filters, id_of, year
from service.integrations.vendors.api_sports.shapes import NAMED
from service.integrations.vendors.api_sports.vendor import FOOTBALL, examples, fetch

CLUB = Shape(id=Maybe(Int("id")), name=Maybe("name"), logo=Maybe("logo"))
MOVE = Shape(
    date=Maybe("date"), type=Maybe("type"),
    **{"from": Maybe(Within("teams.out", CLUB)), "to": Maybe(Within("teams.in", CLUB))},
)  # fmt: skip
TRANSFER = Shape(
    player=Within("player", Shape(id=Int("id"), name=Maybe("name"))),
    updated=Maybe("update"), moves=Each("transfers", MOVE, default=()),
)  # fmt: skip
INJURY = Shape(
    player=Within("player", Shape(
        id=Maybe(Int("id")), name=Maybe("name"), photo=Maybe("photo")
    )),
    type=Maybe("player.type"), reason=Maybe("player.reason"), team=Maybe(Within("team", NAMED)),
    fixture=Maybe(Within("fixture", Shape(id=Int("id"), date=Maybe("date")))),
    league=Maybe(Within("league", Shape(
        id=Int("id"), name=Maybe("name"), season=Maybe(Int("season"))
    ))),
)  # fmt: skip


class Transfers(Parameters):
    player = id_of("A player's number; or give a team.", to="player")
    team = id_of("A team's number; or give a player.", to="team")

    @validates_schema
    def check_choice(self, data: dict[str, Any], **kwargs: Any) -> None:
        if len(data) != 1:
            raise ValidationError("Give either a player or a team.", "player")


transfers = Endpoint(
    name="football/transfers", vendor=FOOTBALL, category="sports",
    summary="The transfers of a football player, or of all players of a team.",
    docs=f"{FOOTBALL_DOCS}#tag/Transfers", access=FREE_READ, seconds=30,
    cache=Cache(seconds=86400, shared=True),
    takes=Transfers, asks=fetch("/transfers"), gives=Shape(transfers=Each("response", TRANSFER)),
    examples=examples(
        "football_transfers",
        ({"player": 35845}, "/transfers?player=35845"), ({"team": 463}, "/transfers?team=463"),
    ),
)  # fmt: skip


class Injuries(Filters):
    needs = dict.fromkeys(("league", "team", "player"), ("season", "date"))

    league = id_of("Only those in this league; needs a season or a date too.", to="league")
    season = year()
    fixture = id_of("Only those for this fixture.", to="fixture")
    team = id_of("Only those of this team; needs a season or a date too.", to="team")
    player = id_of("Only those of this player; needs a season or a date too.", to="player")
    date = DATE
    ids = IDS
    timezone = ZONE


injuries = Endpoint(
    name="football/injuries", vendor=FOOTBALL, category="sports",
    summary="Football players who miss or may miss a fixture, injured or suspended.",
    docs=f"{FOOTBALL_DOCS}#tag/Injuries", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Injuries, asks=fetch("/injuries"), gives=Shape(injuries=Each("response", INJURY)),
    examples=examples(
        "football_injuries",
        ({"league": 2, "season": 2020, "player": 865},
         "/injuries?league=2&season=2020&player=865"),
        ({"date": "2021-04-07", "team": 157, "timezone": "Europe/London"},
         "/injuries?date=2021-04-07&team=157&timezone=Europe%2FLondon"),
        ({"fixture": 686314}, "/injuries?fixture=686314"),
        ({"ids": [686314, 686315]}, "/injuries?ids=686314-686315"),
    ),
)  # fmt: skip

ENDPOINTS = (transfers, injuries)
