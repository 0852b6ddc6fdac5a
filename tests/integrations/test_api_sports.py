"""What API-SPORTS refuses, with status 200, and what it has nothing of."""

import json
from types import SimpleNamespace

import pytest

from service.cli.catalog import settings_table
from service.integrations.declare.example import File
from service.integrations.declare.vendor import Reply
from service.integrations.everything import catalog
from service.integrations.vendors.api_sports import vendor as api_sports
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

STANDINGS = json.loads(File("api_sports/football_standings.json").content())
WORDS = "The words of API-SPORTS."
REFUSED = (400, "invalid_request")
FAILED = (502, "upstream_provider_error")
LIMITED = (429, "rate_limited")


def says(errors):
    return Said({"get": "teams", "parameters": [], "errors": errors, "response": []})


ERRORS = [
    ({"token": WORDS}, FAILED),
    ({"access": WORDS}, FAILED),
    ({"plan": WORDS}, FAILED),
    ([{"time": "2019-11-26T00:00:00+00:00", "bug": WORDS, "report": "teams"}], FAILED),
    ([WORDS], FAILED),
    (WORDS, FAILED),
    ({"requests": WORDS}, LIMITED),
    ({"rateLimit": WORDS}, LIMITED),
    ({"season": WORDS}, REFUSED),
    ({"required": WORDS}, REFUSED),
]


@on_sqlite
def test_errors_in_a_success_are_refusals(ask, vendor):
    for errors, outcome in ERRORS:
        vendor.seen.clear()
        vendor.says(says(errors))
        for name in ("football/teams", "basketball/teams"):
            answer = ask(name, {"id": 33})
            assert (answer.status_code, answer.json["error"]) == outcome, errors
            assert WORDS not in answer.text
        assert len(vendor.seen) == 2


def test_what_fails_at_api_sports_is_no_fault_of_the_caller():
    assert api_sports.FOOTBALL.refusal(Reply(500, {}, {"errors": {"season": WORDS}})) is None


DAY_IS_OVER = {"requests": WORDS}
NONE_TODAY, MIDNIGHT = {"x-ratelimit-requests-remaining": "0"}, 20_000 * 86400


@pytest.mark.parametrize(
    ("status", "errors", "headers", "now", "pause"),
    [
        (200, {"rateLimit": WORDS}, {}, MIDNIGHT, 60),
        (429, [], {"X-RateLimit-Remaining": "0"}, MIDNIGHT, 60),
        (429, [], {"Retry-After": "7", **NONE_TODAY}, MIDNIGHT, 7),
        (429, [], NONE_TODAY, MIDNIGHT - 90, 90),
        (200, DAY_IS_OVER, {}, MIDNIGHT - 90, 90),
        (200, DAY_IS_OVER, {}, MIDNIGHT, 3600),
    ],
)
def test_a_limit_lasts_a_minute_or_until_midnight(monkeypatch, status, errors, headers, now, pause):
    monkeypatch.setattr(api_sports, "time", SimpleNamespace(time=lambda: now))
    refusal = api_sports.FOOTBALL.refusal(Reply(status, headers, {"errors": errors}))
    assert (refusal.code, refusal.headers["Retry-After"]) == ("rate_limited", str(pause))


@on_sqlite
@pytest.mark.parametrize("said", [says([]), Said(b"", 204)])
def test_an_answer_without_results_is_an_empty_list(ask, vendor, said):
    vendor.says(said)
    assert ask("football/teams", {"id": 33}).json["data"] == {"teams": []}
    assert ask("basketball/standings", {"league": 12, "season": "2019"}).json["data"] == {
        "table": []
    }
    prediction = ask("football/predictions", {"fixture": 1}).json["data"]
    assert set(prediction.values()) == {None}


@on_sqlite
def test_a_table_may_stand_in_a_list_of_tables_or_alone(ask, vendor):
    said = json.loads(File("api_sports/basketball_standings.json").content())
    rows = [row for one in said["response"] for row in (one if isinstance(one, list) else [one])]
    tables = []
    for response in (rows, [rows]):
        vendor.says({**said, "response": response})
        season = {"league": 12, "season": f"20{len(tables)}0"}  # no kept answer
        tables.append(ask("basketball/standings", season).json["data"]["table"])
    assert tables[0] == tables[1]
    assert len(tables[0]) == len(rows) > 0


@on_sqlite
@pytest.mark.parametrize(
    ("name", "fact", "value"),
    [
        ("football/leagues", "current", True),
        ("baseball/leagues", "current", True),
        ("basketball/leagues", "coverage", {"standings": True, "players": True}),
    ],
)
def test_a_season_says_what_the_vendor_says_of_it(ask, vendor, name, fact, value):
    season = {"year": 2023, "season": 2023, "start": "2023-02-24", "end": "2023-11-02", fact: value}
    league = {"id": 1, "name": "A league", "type": "League"}
    item = {**league, "league": league, "country": {"name": "USA"}, "seasons": [season]}
    vendor.says(Said({"get": "leagues", "errors": [], "response": [item]}))
    (given,) = ask(name, {}).json["data"]["leagues"][0]["seasons"]
    assert given[fact] == value


@on_sqlite
def test_the_tables_of_all_leagues_of_a_team_are_given(ask, vendor):
    cup = json.loads(json.dumps(STANDINGS["response"][0]).replace("Premier League", "Cup"))
    vendor.says({**STANDINGS, "response": [*STANDINGS["response"], cup]})
    data = ask("football/standings", {"team": 40, "season": 2019}).json["data"]
    assert data["league"]["name"] == "Premier League"
    assert [group["league"]["name"] for group in data["groups"]] == ["Premier League", "Cup"]


NOT_SENT = [
    ("football/teams", {}, "id"),
    ("football/fixtures", {"timezone": "UTC"}, "id"),
    ("football/fixtures", {"league": 39}, "league"),
    ("football/fixtures", {"league": 39, "date": "2019-10-22"}, "league"),
    ("football/fixtures", {"team": 33, "from": "2019-07-01", "to": "2019-07-31"}, "team"),
    ("football/fixtures", {"from": "2019-07-01"}, "from"),
    ("football/fixtures", {"to": "2019-07-01"}, "to"),
    ("football/fixtures", {"season": 2019, "timezone": "UTC"}, "season"),
    ("football/standings", {"season": 2019}, "league"),
    ("football/transfers", {}, "player"),
    ("football/transfers", {"player": 1, "team": 1}, "player"),
    ("football/injuries", {"league": 2}, "league"),
    ("basketball/teams", {"league": 12}, "league"),
    ("basketball/teams", {"season": "2019"}, "season"),
    ("basketball/games", {"team": 134, "date": "2019-11-23"}, "team"),
    ("basketball/player-stats", {"season": "2019"}, "game"),
    ("basketball/player-stats", {"game": 1, "games": [1]}, "game"),
    ("basketball/player-stats", {"player": 1}, "season"),
]


@on_sqlite
def test_what_api_sports_would_refuse_is_not_sent(ask, vendor):
    for name, body, field in NOT_SENT:
        answer = ask(name, body)
        assert (answer.status_code, list(answer.json["details"])) == (400, [field]), (name, body)
    assert vendor.seen == []


SENT = [
    {"league": 39, "season": 2019},
    {"league": 61, "next": 10},
    {"league": 61, "last": 10, "status": "FT"},
    {"team": 85, "last": 10},
    {"team": 85, "season": 2019, "from": "2019-07-01", "to": "2020-10-31"},
    {"venue": 358, "next": 10},
    {"date": "2019-10-22"},
    {"next": 15},
    {"live": "all", "league": 39},
]


@on_sqlite
def test_the_filters_of_fixtures_in_the_vendors_examples_are_sent(ask, vendor):
    vendor.says(says([]))
    for body in SENT:
        assert ask("football/fixtures", body).status_code == 200, body


@on_sqlite
def test_a_refusal_names_the_parameters_that_the_vendor_names(ask, vendor):
    for errors, names in (
        ({"search": WORDS, "country_id": WORDS}, ["countryId", "search"]),
        ({"required": WORDS}, []),
    ):
        vendor.says(says(errors))
        details = ask("basketball/teams", {"countryId": 1, "search": "Saint-É"}).json["details"]
        assert sorted(details) == names


def test_the_key_of_all_sports_is_one_line_of_the_settings():
    (line,) = [line for line in settings_table(catalog()) if "`APISPORTS_API_KEY`" in line]
    assert "football, basketball" in line
