"""American football over API-SPORTS: whose league is meant, and answers about college football."""

import pytest

from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

SMU = {
    "conference": "Atlantic Coast", "division": "Main", "position": 1,
    "team": {"id": 190, "name": "SMU", "logo": None}, "won": 11, "lost": 3, "ties": None,
    "points": {"for": 309, "against": 511, "difference": -202}, "streak": "L2",
    "records": {"home": None, "road": None, "conference": None, "division": None},
}  # fmt: skip


SEASONS = [
    ("nfl/teams", {"season": 2023}, ["1"]),
    ("nfl/teams", {"season": 2023, "league": 2}, ["2"]),
    ("nfl/teams", {"search": "Raiders"}, None),
    ("nfl/games", {"date": "2022-09-11"}, ["1"]),
    ("nfl/games", {"season": 2022, "league": 2}, ["2"]),
    ("nfl/games", {"season": 2022, "team": 190}, None),
    ("nfl/games", {"date": "2022-09-11", "live": "all"}, None),
    ("nfl/games", {"id": 3957}, None),
    ("nfl/standings", {"season": 2023}, ["1"]),
]


def test_a_season_is_the_nfls_unless_something_else_is_named(ask, vendor):
    for endpoint, body, league in SEASONS:
        vendor.seen.clear()
        vendor.says({"errors": [], "response": []})
        assert ask(endpoint, body).status_code == 200
        assert vendor.seen[0].query.get("league") == league, (endpoint, body)


@pytest.mark.parametrize(
    ("endpoint", "body", "name"),
    [
        ("nfl/teams", {}, "id"),
        ("nfl/teams", {"league": 1}, "league"),
        ("nfl/games", {"timezone": "UTC"}, "id"),
        ("nfl/games", {"team": 1}, "team"),
        ("nfl/player-stats", {"season": 2022}, "season"),
        ("baseball/teams", {"league": 1}, "league"),
        ("baseball/games", {"team": 25}, "team"),
    ],
)
def test_too_wide_a_question_is_refused_before_it_is_sent(ask, vendor, endpoint, body, name):
    answer = ask(endpoint, body)
    assert (answer.status_code, list(answer.json["details"])) == (400, [name])
    assert vendor.seen == []


def test_a_college_has_no_ties_and_no_records(ask, vendor):
    vendor.says({"errors": [], "response": [SMU]})
    row = ask("nfl/standings", {"league": 2, "season": 2024}).json["data"]["table"][0]
    assert (row["won"], row["ties"], row["pointDifference"]) == (11, None, -202)
    assert set(row["records"].values()) == {None}
