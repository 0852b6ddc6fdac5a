"""Parameters that several sports share."""

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.fields import Choice, Count, Day, Parameters, Words

MAX_ID = 2**31 - 1
ZONE = Words(
    "The time zone of the dates, such as `Europe/London`; UTC unless given.",
    most=64, to="query.timezone",
)  # fmt: skip
SEARCH = Words("A piece of the name.", least=3, most=100, to="query.search")
NAME = Words("The whole name.", most=100, to="query.name")
COUNTRY = Words("Only those of this country, by its name.", most=100, to="query.country")
KIND = Choice("league", "cup", about="Only leagues, or only cups.", to="query.type")
DATE = Day("Only those of this day.", to="query.date")


def id_of(about: str, *, to: str, required: bool = False) -> Count:
    """Return a parameter for API-SPORTS' number of a league, a team and so on."""
    return Count(about, least=1, most=MAX_ID, to=f"query.{to}", required=required)


def year(about: str = "The year in which the season begins.", *, required: bool = False) -> Count:
    """Return a parameter for a season that is named by one year."""
    return Count(about, least=1900, most=2100, to="query.season", required=required)


class Filters(Parameters):
    """Parameters of which at least one must be given, not counting the time zone.

    For some of these parameters, `needs` lists others, of which one must be given too.
    """

    needs: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @validates_schema
    def check_filters(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not data.keys() - {"timezone"}:
            raise ValidationError("At least one filter is needed.", next(iter(self.fields)))
        for name, others in self.needs.items():
            if name in data and not data.keys() & set(others):
                raise ValidationError(f"Needs {' or '.join(others)} too.", name)


class LeagueFilters(Parameters):
    """Filters for leagues of sports whose countries have numbers. Subclasses add the season."""

    id = id_of("The league's number.", to="id")
    name = NAME
    countryId = id_of("Only those of this country, by its number.", to="country_id")
    country = COUNTRY
    type = KIND
    search = SEARCH


class TeamFilters(Filters):
    """Filters for teams of these sports."""

    needs = {"league": ("season",), "season": ("league",)}

    id = id_of("The team's number.", to="id")
    name = NAME
    countryId = id_of("Only those of this country, by its number.", to="country_id")
    league = id_of("Only those in this league; needs the season too.", to="league")
    search = SEARCH


class GameFilters(Filters):
    """Filters for games of these sports."""

    needs = {"league": ("season",), "team": ("season",)}

    id = id_of("The game's number.", to="id")
    date = DATE
    league = id_of("Only those in this league; needs the season too.", to="league")
    team = id_of("Only those of this team; needs the season too.", to="team")
    timezone = ZONE


class StandingsFilters(Parameters):
    """Filters for tables of these sports."""

    league = id_of("The league's number.", to="league", required=True)
    team = id_of("Only the rows of this team.", to="team")
    stage = Words("Only this stage, such as `NBA - Regular Season`.", most=100, to="query.stage")
    group = Words("Only this group, such as `Eastern Conference`.", most=100, to="query.group")
