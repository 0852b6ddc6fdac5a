"""Football: fixtures with their scores, and predictions of their results."""

from typing import Any

from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.fields import Count, Day, Parameters, Several, Words
from service.integrations.declare.shape import Bool, Each, Int, Maybe, Shape, Within
from service.integrations.vendors.api_sports.football_competitions import FOOTBALL_DOCS
from service.integrations.vendors.api_sports.parameters import (
    DATE,
    MAX_ID,
    ZONE,
    Filters,
    id_of,
    year,
)
from service.integrations.vendors.api_sports.shapes import NAMED
from service.integrations.vendors.api_sports.vendor import FOOTBALL, examples, fetch

IDS = Several(
    Count(least=1, most=MAX_ID), "The numbers of several fixtures.",
    least=1, most=20, joined="-", to="query.ids",
)  # fmt: skip


def _side(name: str) -> Shape:
    """Return the shape of the team at `home` or `away`, with its goals."""
    team = f"teams.{name}"
    return Shape(
        id=Maybe(Int(f"{team}.id")), name=Maybe(f"{team}.name"), logo=Maybe(f"{team}.logo"),
        goals=Maybe(Int(f"goals.{name}")),
    )  # fmt: skip


def _pair(path: str) -> Maybe:
    """Return the shape of texts for both sides, such as `45%`."""
    return Maybe(Within(path, Shape(home=Maybe("home"), away=Maybe("away"))))


FIXTURE = Shape(
    id=Int("fixture.id"), date=Maybe("fixture.date"), status=Maybe("fixture.status.short"),
    statusText=Maybe("fixture.status.long"), elapsed=Maybe(Int("fixture.status.elapsed")),
    venue=Maybe("fixture.venue.name"),
    league=Within("league", Shape(
        id=Int("id"), name=Maybe("name"), round=Maybe("round"), season=Maybe(Int("season"))
    )),
    home=_side("home"), away=_side("away"),
)  # fmt: skip
PREDICTION = Shape(
    winner=Maybe(Within("winner", Shape(
        id=Maybe(Int("id")), name=Maybe("name"), comment=Maybe("comment")
    ))),
    winOrDraw=Maybe(Bool("win_or_draw")), underOver=Maybe("under_over"), goals=_pair("goals"),
    advice=Maybe("advice"),
    percent=Maybe(Within("percent", Shape(
        home=Maybe("home"), draw=Maybe("draw"), away=Maybe("away")
    ))),
)  # fmt: skip
COMPARISON = Shape(
    form=_pair("form"), att=_pair("att"), poissonDistribution=_pair("poisson_distribution"),
    h2h=_pair("h2h"), goals=_pair("goals"), total=_pair("total"),
    **{"def": _pair("def")},  # a keyword of Python
)  # fmt: skip


# Only errors tell these rules: github.com/api-sports/public-roadmap, issues 168, 318 and 363.
SELECTING = ("season", "last", "next", "live")
SPAN = ("league", "team", "venue", "season")
BESIDE_SEASON = (
    "league", "team", "venue", "date", "from", "to", "round", "status", "last", "next", "live",
)  # fmt: skip


class Fixtures(Filters):
    class Meta:
        include: dict[str, Any] = {
            "from": Day(
                "Only from this day on; with a league or a team, and its season.", to="query.from"
            )
        }

    needs = {
        "league": SELECTING, "team": SELECTING, "from": SPAN, "to": SPAN, "season": BESIDE_SEASON,
    }  # fmt: skip

    id = id_of("The fixture's number.", to="id")
    ids = IDS
    live = Words(
        "Only those in play: `all`, or the numbers of leagues with `-` between them.",
        most=200, pattern=r"^(all|[0-9]{1,9}(-[0-9]{1,9})*)$", to="query.live",
    )  # fmt: skip
    date = DATE
    league = id_of(
        "Only those in this league; needs a season, `last`, `next` or `live` too.", to="league"
    )
    season = year("The year in which the season begins; needs another filter too.")
    team = id_of(
        "Only those of this team; needs a season, `last`, `next` or `live` too.", to="team"
    )
    last = Count("Only so many that were played last.", least=1, most=99, to="query.last")
    next = Count("Only so many that are played next.", least=1, most=99, to="query.next")
    to = Day("Only up to this day; with a league or a team, and its season.", to="query.to")
    round = Words("Only this round, such as `Regular Season - 1`.", most=100, to="query.round")
    status = Words(
        "Only with these statuses, by their codes with `-` between them, such as `NS-PST-FT`.",
        most=100, pattern=r"^[A-Za-z0-9]{1,4}(-[A-Za-z0-9]{1,4})*$", to="query.status",
    )  # fmt: skip
    venue = id_of("Only those at this venue.", to="venue")
    timezone = ZONE


fixtures = Endpoint(
    name="football/fixtures", vendor=FOOTBALL, category="sports",
    summary="Football fixtures, with their scores.",
    docs=f"{FOOTBALL_DOCS}#tag/Fixtures", access=FREE_READ, seconds=30,
    cache=Cache(seconds=60, shared=True),
    takes=Fixtures, asks=fetch("/fixtures"), gives=Shape(fixtures=Each("response", FIXTURE)),
    examples=examples(
        "football_fixtures",
        ({"league": 200, "season": 2019, "from": "2020-02-01", "to": "2020-02-29"},
         "/fixtures?league=200&season=2019&from=2020-02-01&to=2020-02-29"),
        ({"league": 200, "season": 2019, "round": "Regular Season - 14"},
         "/fixtures?league=200&season=2019&round=Regular+Season+-+14"),
        ({"team": 968, "last": 10, "status": "HT-FT", "timezone": "Europe/London"},
         "/fixtures?team=968&last=10&status=HT-FT&timezone=Europe%2FLondon"),
        ({"venue": 1887, "next": 10}, "/fixtures?venue=1887&next=10"),
        ({"date": "2020-02-06"}, "/fixtures?date=2020-02-06"),
        ({"live": "39-200"}, "/fixtures?live=39-200"),
        ({"id": 239625}, "/fixtures?id=239625"),
        ({"ids": [239625, 239626]}, "/fixtures?ids=239625-239626"),
    ),
)  # fmt: skip


class Predictions(Parameters):
    fixture = id_of("The fixture's number.", to="fixture", required=True)


# A fixture without a prediction has null in each field.
predictions = Endpoint(
    name="football/predictions", vendor=FOOTBALL, category="sports",
    summary="How a football fixture is expected to end, and how its teams compare.",
    docs=f"{FOOTBALL_DOCS}#tag/Predictions", access=FREE_READ, seconds=30,
    cache=Cache(seconds=3600, shared=True),
    takes=Predictions, asks=fetch("/predictions"),
    gives=Shape(
        prediction=Maybe(Within("response.0.predictions", PREDICTION)),
        league=Maybe(Within("response.0.league", Shape(
            id=Int("id"), name=Maybe("name"), season=Maybe(Int("season"))
        ))),
        teams=Maybe(Within("response.0.teams", Shape(
            home=Maybe(Within("home", NAMED)), away=Maybe(Within("away", NAMED))
        ))),
        comparison=Maybe(Within("response.0.comparison", COMPARISON)),
    ),
    examples=examples(
        "football_predictions", ({"fixture": 198772}, "/predictions?fixture=198772")
    ),
)  # fmt: skip

ENDPOINTS = (fixtures, predictions)
