"""A row of the table: a figure of the service beside those of its peers, and their ratios."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.rounds import Round
from bench.scenarios import Scenario

PEERS = ("bare", "naive", "node")
HEADINGS = ("figure", "service", *PEERS, *(f"service/{peer}" for peer in PEERS), "goal")
NONE = "-"


@dataclass(frozen=True)
class Figure:
    """`{streams}` in the label is the scenario's. With `added`, the value of the direct read is
    subtracted.

    The goal limits the ratio to the peer `per`, or the service's own value if that is empty or
    nothing is compared.
    """

    scenario: str
    label: str
    value: Callable[[Any], float]
    goal: float | None = None
    per: str = "bare"
    added: bool = False
    compared: bool = True

    def of(self, column: str, round_: Round) -> float:
        name = next((name for name in round_ if name.partition("/")[0] == column), None)
        offset = self.value(round_["direct"]) if self.added else 0.0
        return self.value(round_[name]) - offset if name else math.nan


def row(figure: Figure, scenario: Scenario, rounds: Sequence[Round]) -> tuple[str, ...]:
    values = {
        column: [figure.of(column, round_) for round_ in rounds] for column in ("service", *PEERS)
    }
    ratios = {peer: _ratios(values["service"], values[peer]) for peer in PEERS}
    shown = [_range(each) for each in values.values()]
    compared = [_range(each) if figure.compared else NONE for each in ratios.values()]
    label = figure.label.format(streams=scenario.streams)
    return (label, *shown, *compared, _verdict(figure, values["service"], ratios))


def _ratios(values: Sequence[float], floors: Sequence[float]) -> list[float]:
    return [v / f if f > 0 else math.nan for v, f in zip(values, floors, strict=True)]


def _range(values: Sequence[float]) -> str:
    """`median [least..most]`, or the only value."""
    if any(map(math.isnan, values)):
        return NONE
    ends = f" [{_number(min(values))}..{_number(max(values))}]" if len(values) > 1 else ""
    return _number(median(values)) + ends


def _number(value: float) -> str:
    """At most three digits: the figures are not more precise."""
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def _verdict(figure: Figure, values: Sequence[float], ratios: dict[str, list[float]]) -> str:
    if figure.goal is None:
        return ""
    peer = figure.per if figure.compared else ""
    judged = ratios[peer] if peer else values
    if any(map(math.isnan, judged)):
        return f"≤ {figure.goal:g}{f' × {peer}' if peer else ''}: not measured"
    met = "met" if median(judged) <= figure.goal else "not met"
    return f"≤ {figure.goal:g}{f' × {peer}' if peer else ''}: {met}"
