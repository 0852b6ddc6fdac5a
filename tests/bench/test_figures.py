"""A row of the benchmark's table: columns by the peers' names, and goals."""

import pytest

from bench import figures, rows
from bench.figures import Figure
from bench.scenarios import FULL, QUICK, Scenario

SCENARIO = Scenario("x", 7, 1, 1)
ROUNDS = [{"service/pg": 10.0, "naive": 8.0, "node/hono": 20.0}]


def row(**options):
    figure = Figure("x", "{streams} streams", float, **options)
    line = figures.row(figure, SCENARIO, ROUNDS)
    return dict(zip(figures.HEADINGS, line, strict=True))


def test_a_column_has_the_peer_of_its_name_whatever_is_special_about_it():
    line = row()
    assert (line["figure"], line["goal"]) == ("7 streams", "")
    assert (line["service"], line["bare"], line["naive"], line["node"]) == ("10", "-", "8", "20")
    assert (line["service/bare"], line["service/naive"], line["service/node"]) == (
        "-", "1.25", "0.5",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "per", "expected"),
    [
        (1.2, "naive", "≤ 1.2 × naive: not met"),
        (0.5, "node", "≤ 0.5 × node: met"),
        (10, "", "≤ 10: met"),
        (1, "bare", "≤ 1 × bare: not measured"),
    ],
)
def test_a_goal_limits_the_ratio_to_its_peer_or_the_value(goal, per, expected):
    assert row(goal=goal, per=per)["goal"] == expected


def test_every_figure_is_of_a_scenario_and_every_scenario_has_figures():
    names = {scenario.name for scenario in FULL}
    assert {figure.scenario for figure in rows.FIGURES} == names
    assert {scenario.name for scenario in QUICK} <= names
