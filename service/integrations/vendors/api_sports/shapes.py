"""Shapes of answers that several sports share: leagues, teams, games and tables.

A season is a number or a text, depending on the sport. `NAMED` has the fields of all items.
"""

from typing import Any

from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, need
from service.integrations.declare.shape import Each, Field, Int, Made, Maybe, Shape, Values, Within

NAMED = Shape(id=Int("id"), name=Maybe("name"), logo=Maybe("logo"))
TEAMS = Shape(teams=Each("response", Shape(NAMED, country=Maybe("country.name"))))
ROW = Shape(
    position=Maybe(Int("position")), stage=Maybe("stage"), group=Maybe("group.name"),
    team=Within("team", NAMED), played=Maybe(Int("games.played")),
    won=Maybe(Int("games.win.total")), winPercentage=Maybe("games.win.percentage"),
    lost=Maybe(Int("games.lose.total")), pointsFor=Maybe(Int("points.for")),
    pointsAgainst=Maybe(Int("points.against")), form=Maybe("form"),
    description=Maybe("description"),
)  # fmt: skip


def text_of(path: str) -> Made:
    """Read a text or null. API-SPORTS writes some texts as numbers, such as the season 2017."""

    def read(item: Any, values: Values) -> str | None:
        value = find(item, path)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return str(value) if is_whole or isinstance(value, str) else None

    return Made(Maybe(""), read)


def league_list(season: Field, **facts: Field) -> Shape:
    """Return the shape of leagues. `season` and `facts` are read from each season of a league."""
    year = Shape(season=season, start=Maybe("start"), end=Maybe("end"), **facts)
    return Shape(leagues=Each("response", Shape(
        NAMED, type=Maybe("type"), country=Maybe("country.name"),
        countryCode=Maybe("country.code"), seasons=Each("seasons", year, default=()),
    )))  # fmt: skip


def game_list(season: Field, score: Shape) -> Shape:
    """Return the shape of games. `season` is read from the league, `score` from a side's scores."""
    return Shape(games=Each("response", Shape(
        id=Int("id"), date=Maybe("date"), stage=Maybe("stage"), week=text_of("week"),
        status=Maybe("status.short"), statusText=Maybe("status.long"),
        league=Within("league", Shape(id=Int("id"), name=Maybe("name"), season=season)),
        home=side("home"), away=side("away"),
        scores=Shape(
            home=Maybe(Within("scores.home", score)), away=Maybe(Within("scores.away", score))
        ),
    )))  # fmt: skip


def side(name: str) -> Shape:
    """Return the shape of the team at `home` or `away`, with its score."""
    team = f"teams.{name}"
    return Shape(
        id=Maybe(Int(f"{team}.id")), name=Maybe(f"{team}.name"), logo=Maybe(f"{team}.logo"),
        score=Maybe(Int(f"scores.{name}.total")),
    )  # fmt: skip


def _rows(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return the rows of all tables. `response` is a list of tables, or one table."""
    tables = as_list(need(answer, "response"))
    rows = [row for one in tables for row in (one if isinstance(one, list) else [one])]
    return [ROW.read(row, values) for row in rows]


TABLE = Shape(table=Made(Each("", ROW), _rows))
