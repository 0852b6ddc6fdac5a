"""The figures printed for each scenario, beside the floors from the same rounds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench import calls, changes
from bench.load import StreamResult
from bench.rounds import Round
from bench.scenarios import Scenario

HEADINGS = ("figure", "service", "bare", "naive", "service/bare", "service/naive", "goal")
NONE = "-"


def plateau_cpu(result: StreamResult) -> float:
    """µs per token while all streams are open."""
    return result.plateau_cpu / 1e3 / (result.plateau_tokens or math.nan)


def whole_cpu(result: StreamResult) -> float:
    """µs per token from the first request to the last byte."""
    return result.cpu / 1e3 / (result.tokens or math.nan)


def turn_cpu(result: StreamResult) -> float:
    return result.cpu / 1e3 / result.streams


def slow_transit(result: StreamResult) -> float:
    return result.transits[1] / 1e3


def memory(result: StreamResult) -> float:
    return result.growth / result.streams if result.plateau_tokens else math.nan


def out_of_pace(result: StreamResult) -> float:
    """The number of late or incomplete streams; 0 means that the peer is not saturated."""
    return max(result.incomplete, result.late)


def first_chunk(share: float) -> Callable[[StreamResult], float]:
    """Milliseconds from the request to the first token, at a quantile."""

    def value(result: StreamResult) -> float:
        return result.first[int(share * (len(result.first) - 1))] / 1e3 if result.first else 1e9

    return value


@dataclass(frozen=True)
class Figure:
    """`{streams}` in the label is the scenario's. With `added`, the value of the direct read is
    subtracted.

    The goal limits the ratio to bare, or the value itself where nothing is compared.
    """

    scenario: str
    label: str
    value: Callable[[Any], float]
    goal: float | None = None
    added: bool = False
    compared: bool = True

    def of(self, name: str, round_: Round) -> float:
        offset = self.value(round_["direct"]) if self.added else 0.0
        return self.value(round_[name]) - offset if name in round_ else math.nan


FIGURES = (
    Figure("one", "CPU µs/token, 1 stream at 200/s", plateau_cpu, goal=2),
    Figure("fifty", "CPU µs/token, {streams} streams at 40/s", plateau_cpu, goal=2),
    Figure("fifty", "… with the cost of their turns", whole_cpu),
    Figure("fifty", "… transit p99, ms", slow_transit),
    Figure("many", "CPU µs/token, {streams} streams at 4/s", plateau_cpu, goal=2),
    Figure("many", "… with the cost of their turns", whole_cpu),
    Figure("many", "… transit p99, ms", slow_transit),
    Figure("fast", "CPU µs/token, {streams} streams at 100/s", plateau_cpu, goal=2),
    Figure("fast", "… transit p99, ms", slow_transit),
    Figure("burst", "CPU µs/token, {streams} streams, 16 tokens a write", plateau_cpu),
    Figure("turns", "CPU µs/turn of 8 tokens, rows in SQLite", turn_cpu),
    Figure("turns-pg", "CPU µs/turn of 8 tokens, rows in PostgreSQL", turn_cpu),
    Figure("first", "added time to first chunk p50, ms", first_chunk(0.5), added=True),
    Figure("first", "added time to first chunk p99, ms", first_chunk(0.99), added=True),
    Figure("held", "memory KB/stream, {streams} held at 2/s", memory),
    Figure("held", "… CPU µs/token", plateau_cpu),
    Figure("held", "… transit p99, ms", slow_transit),
    Figure("held", "… time to first chunk p99, ms", first_chunk(0.99)),
    Figure("held", "… streams out of pace", out_of_pace, goal=0, compared=False),
    Figure("changes", "CPU µs/delivery, changes at 20/s to 1 subscriber", changes.paced_cpu(0)),
    Figure("changes", "… to 100 subscribers", changes.paced_cpu(1), goal=2),
    Figure("changes", "… to 1000 subscribers", changes.paced_cpu(2), goal=2),
    Figure("changes", "… to 1000 subscribers, in a burst", changes.burst_cpu(2)),
    Figure("changes", "delivery p50, 1 subscriber, ms", changes.transit(0, 0)),
    Figure("changes", "… p99", changes.transit(0, 1)),
    Figure("changes", "delivery p50, 100 subscribers, ms", changes.transit(1, 0)),
    Figure("changes", "… p99", changes.transit(1, 1)),
    Figure("changes", "delivery p50, 1000 subscribers, ms", changes.transit(2, 0)),
    Figure("changes", "… p99", changes.transit(2, 1)),
    Figure("changes", "changes/s in a burst, 1 subscriber", changes.rate(0)),
    Figure("changes", "… 100 subscribers", changes.rate(1)),
    Figure("changes", "… 1000 subscribers", changes.rate(2)),
    Figure("proxy", "CPU µs/call of an integration, 8 at once", calls.cpu),
    Figure("proxy", "added latency p50, 100 calls/s, ms", calls.latency(0.5), added=True),
    Figure("proxy", "… p99", calls.latency(0.99), added=True),
)


def table(scenario: Scenario, rounds: Sequence[Round]) -> list[tuple[str, ...]]:
    """The rows of one scenario."""
    return [row(f, scenario, rounds) for f in FIGURES if f.scenario == scenario.name]


def row(figure: Figure, scenario: Scenario, rounds: Sequence[Round]) -> tuple[str, ...]:
    service = scenario.peers[0]
    values = {
        name: [figure.of(name, round_) for round_ in rounds] for name in (service, "bare", "naive")
    }
    ratios = {floor: _ratios(values[service], values[floor]) for floor in ("bare", "naive")}
    shown = [_range(values[name]) for name in (service, "bare", "naive")]
    compared = [_range(r) if figure.compared else NONE for r in ratios.values()]
    judged = ratios["bare"] if figure.compared else values[service]
    label = figure.label.format(streams=scenario.streams)
    return (label, *shown, *compared, _verdict(figure, judged))


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


def _verdict(figure: Figure, values: Sequence[float]) -> str:
    if figure.goal is None:
        return ""
    times = " × bare" if figure.compared else ""
    return f"≤ {figure.goal:g}{times}: {'met' if median(values) <= figure.goal else 'not met'}"
