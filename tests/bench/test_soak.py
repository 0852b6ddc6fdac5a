"""The soak's arithmetic: a figure that grows fails it, one that goes up and down does not."""

import pytest

from bench.soak import __main__ as soak
from bench.soak import verdict
from bench.soak.samples import BOUNDS, MEMORY
from bench.soak.verdict import Bound

BOUND = Bound("descriptors", most=20)


def points(values):
    return [(5.0 * number, value) for number, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 1.0, 1.0], 0.0), ([0.0, 5.0, 10.0], 1.0), ([7.0], 0.0), ([0.0, 10.0, 5.0], 0.5)],
)
def test_the_slope_is_that_of_least_squares(values, expected):
    assert verdict.slope(points(values)) == pytest.approx(expected)


def test_a_figure_that_grows_steadily_fails():
    growth = verdict.growth(BOUND, points([100 + number for number in range(60)]))
    assert growth.failed
    assert growth.amount == pytest.approx(39, abs=1)  # the last two thirds of 60 samples
    assert growth.per_hour == pytest.approx(720)
    assert "TOO MUCH" in str(growth)


def test_a_figure_that_goes_up_and_down_does_not_fail():
    assert not verdict.growth(BOUND, points([100 + 50 * (n % 2) for n in range(60)])).failed


def test_what_only_grows_at_first_does_not_fail():
    assert not verdict.growth(BOUND, points([min(n, 20) * 10 for n in range(60)])).failed


def test_the_table_has_a_line_for_each_interval():
    lines = list(verdict.table({"a": points(range(13)), "b": points([2] * 13)}, 30))
    assert lines[2:] == ["| 0 | 2.5 | 2.0 |", "| 0.5 | 8.5 | 2.0 |", "| 1 | 12.0 | 2.0 |"]


class Nobody:
    """A load without faults, and what it has measured."""

    faults = ()
    name, done = "turns", 1

    def __init__(self, **grown):
        self.points = {b.name: points([100] * 60) for b in BOUNDS} | grown


def test_the_soak_fails_if_the_memory_grows(capsys):
    leaking = Nobody(**{MEMORY: points([100 + number / 2 for number in range(60)])})
    assert soak._report(Nobody(), [Nobody()], 300) == 0
    assert soak._report(leaking, [Nobody()], 300) == 1
    assert f"{MEMORY}: +19" in capsys.readouterr().out


def test_the_soak_fails_if_an_answer_is_wrong():
    wrong = Nobody()
    wrong.faults = ["ValueError()"]
    assert soak._report(Nobody(), [wrong], 300) == 1
