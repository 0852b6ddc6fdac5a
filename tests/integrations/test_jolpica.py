"""Seasons and races over Jolpica's API: what is not there, and what has another name."""

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

NO_RACE = {"MRData": {"total": "0", "offset": "0", "RaceTable": {"season": "2023", "Races": []}}}
NO_STANDINGS = {"MRData": {"StandingsTable": {"season": "2027", "StandingsLists": []}}}
# The 2007 season, as the vendor documents it: the constructor has no position.
EXCLUDED = {
    "positionText": "E", "points": "0", "wins": "8",
    "Constructor": {"constructorId": "mclaren", "name": "McLaren", "nationality": "British"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("endpoint", "entries"),
    [
        ("racing-lap-times", "laps"),
        ("racing-pit-stops", "pitStops"),
        ("racing-qualifying", "results"),
        ("racing-sprint", "results"),
    ],
)
def test_a_race_without_entries_is_null(ask, vendor, endpoint, entries):
    vendor.says(NO_RACE)
    data = ask(endpoint, {"season": "2023", "round": "3"}).json["data"]
    assert (data["race"], data[entries]) == (None, [])


@pytest.mark.parametrize("endpoint", ["racing-driver-standings", "racing-constructor-standings"])
def test_there_are_no_standings_before_the_first_race(ask, vendor, endpoint):
    vendor.says(NO_STANDINGS)
    answer = ask(endpoint, {"season": "2027"})
    assert answer.json["data"] == {"season": "2027", "round": None, "standings": []}


def test_who_is_excluded_has_a_letter_for_a_position(ask, vendor):
    lists = [{"season": "2007", "round": "17", "ConstructorStandings": [EXCLUDED]}]
    table = {"season": "2007", "round": "17", "StandingsLists": lists}
    vendor.says({"MRData": {"StandingsTable": table}})
    data = ask("racing-constructor-standings", {"season": "2007"}).json["data"]
    assert data["standings"][0]["position"] == "E"


@pytest.mark.parametrize("name", ["SprintShootout", "SprintQualifying"])
def test_sprint_qualifying_has_two_names(ask, vendor, name):
    session = {"date": "2023-04-29", "time": "09:30:00Z"}
    race = {"season": "2023", "round": "4", "raceName": "Azerbaijan Grand Prix", name: session}
    vendor.says({"MRData": {"RaceTable": {"season": "2023", "Races": [race]}}})
    data = ask("racing-schedule", {"season": "2023"}).json["data"]
    assert data["races"][0]["sessions"]["sprintQualifying"] == session


def test_a_limit_that_is_reached_says_when_to_come_again(ask, vendor):
    vendor.says(Said({"detail": "Request was throttled."}, 429))
    answer = ask("racing-schedule", {})
    assert (answer.status_code, answer.json["error"]) == (429, "rate_limited")
    assert answer.headers["Retry-After"] == "5"
