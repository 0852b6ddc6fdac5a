"""The rows of the table, and how each is computed from a result."""

import math
from collections.abc import Callable, Iterator, Sequence

from bench import calls, changes
from bench.figures import Figure, row
from bench.load import StreamResult
from bench.rounds import Round
from bench.scenarios import SUBSCRIBERS, Scenario


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


def beside_turn_cpu(result: StreamResult) -> float:
    """µs per turn of what works for the peer."""
    return result.beside_cpu / 1e3 / result.streams if result.beside_cpu else math.nan


def beside_cpu(result: StreamResult) -> float:
    """µs per token of what works for the peer, from the first request to the last byte."""
    if not result.beside_cpu:
        return math.nan
    return result.beside_cpu / 1e3 / (result.tokens or math.nan)


def held(scenario: str, memory_goal: float | None) -> tuple[Figure, ...]:
    """What slow streams cost that are open for long."""
    return (
        Figure(scenario, "memory KB/stream, {streams} held at 2/s", memory, memory_goal, per=""),
        Figure(scenario, "… CPU µs/token", plateau_cpu),
        Figure(scenario, "… transit p99, ms", slow_transit),
        Figure(scenario, "… time to first chunk p99, ms", first_chunk(0.99)),
        Figure(scenario, "… streams out of pace", out_of_pace, goal=0, compared=False),
    )


def deliveries(scenario: str, database: str) -> Iterator[Figure]:
    """How long changes are on their way."""
    for index, goal in ((0, None), (1, None), (2, 20 if database == "PostgreSQL" else None)):
        count = f"{SUBSCRIBERS[index]} subscriber{'s' if index else ''}"
        label = f"delivery p50, {count}, {database}, ms"
        yield Figure(scenario, label, changes.transit(index, 0), goal, per="")
        yield Figure(scenario, "… p99", changes.transit(index, 1))


FIGURES = (
    Figure("one", "CPU µs/token, 1 stream at 200/s", plateau_cpu, goal=2),
    Figure("fifty", "CPU µs/token, {streams} streams at 40/s", plateau_cpu, goal=1.3),
    Figure("fifty", "… with the cost of their turns", whole_cpu),
    Figure("fifty", "… transit p99, ms", slow_transit),
    Figure("openai", "CPU µs/token, {streams} streams at 40/s, OpenAI's format", plateau_cpu),
    Figure("openai", "… transit p99, ms", slow_transit),
    Figure("many", "CPU µs/token, {streams} streams at 4/s", plateau_cpu, goal=1.4),
    Figure("many", "… with the cost of their turns", whole_cpu),
    Figure("many", "… transit p99, ms", slow_transit),
    Figure("fast", "CPU µs/token, {streams} streams at 100/s", plateau_cpu, goal=2),
    Figure("fast", "… transit p99, ms", slow_transit),
    Figure("burst", "CPU µs/token, {streams} streams, 16 tokens a write", plateau_cpu),
    Figure("tls", "CPU µs/token, {streams} streams at 40/s, upstream with TLS", plateau_cpu),
    Figure("tls", "… with the cost of their turns", whole_cpu),
    Figure("tls", "… transit p99, ms", slow_transit),
    Figure("nginx", "CPU µs/token, {streams} streams at 40/s, behind nginx", plateau_cpu),
    Figure("nginx", "… of nginx, with the cost of its requests", beside_cpu),
    Figure("nginx", "… transit p99, ms", slow_transit),
    Figure("turns", "CPU µs/turn of 8 tokens, rows in SQLite", turn_cpu, goal=1.2, per="naive"),
    Figure("turns-unsynced", "… with SQLITE_SYNC=normal", turn_cpu),
    Figure("turns-pg", "CPU µs/turn of 8 tokens, rows in PostgreSQL", turn_cpu, 2, "naive"),
    Figure("turns-pg", "… of the database", beside_turn_cpu),
    Figure("turns-two", "CPU µs/turn of 8 tokens, two workers on PostgreSQL", turn_cpu),
    Figure("turns-two", "… of the database", beside_turn_cpu),
    Figure("tool", "CPU µs/turn of two steps, the first a tool call", turn_cpu),
    Figure("steps", "CPU µs/turn of five steps, four of them tool calls", turn_cpu),
    Figure("chat-10", "CPU µs/turn in a chat of 10 messages", turn_cpu),
    Figure("chat-1000", "… of 1 000 messages", turn_cpu),
    Figure("chat-1000", "… time to first chunk p50, ms", first_chunk(0.5)),
    Figure(
        "first", "added time to first chunk p50, 1 turn, ms", first_chunk(0.5), 1.2, "naive", True
    ),
    Figure("first", "… p99", first_chunk(0.99), added=True),
    Figure(
        "starts", "added time to first chunk p50, {streams} turns at once, ms", first_chunk(0.5),
        1.2, "naive", True,
    ),
    Figure("starts", "… p99", first_chunk(0.99), added=True),
    *held("held-500", memory_goal=None),
    *held("held", memory_goal=30),
    *held("held-10000", memory_goal=30),
    Figure("changes", "CPU µs/delivery, changes at 20/s to 1 subscriber", changes.paced_cpu(0)),
    Figure("changes", "… to 100 subscribers", changes.paced_cpu(1), goal=2),
    Figure("changes", "… to 1000 subscribers", changes.paced_cpu(2), goal=1.5),
    Figure("changes", "… to 1000 subscribers, in a burst", changes.burst_cpu(2)),
    *deliveries("changes", "SQLite"),
    Figure("changes", "changes/s in a burst, 1 subscriber", changes.rate(0)),
    Figure("changes", "… 100 subscribers", changes.rate(1)),
    Figure("changes", "… 1000 subscribers", changes.rate(2)),
    *deliveries("changes-pg", "PostgreSQL"),
    Figure("proxy", "CPU µs/call of an integration, 8 at once", calls.cpu, goal=0.4, per="naive"),
    Figure("proxy", "… the same calls again", calls.again_cpu, goal=0.4, per="naive"),
    Figure("proxy", "added latency p50, 100 calls/s, ms", calls.latency(0.5), added=True),
    Figure("proxy", "… p99", calls.latency(0.99), added=True),
)  # fmt: skip


def table(scenario: Scenario, rounds: Sequence[Round]) -> list[tuple[str, ...]]:
    """The rows of one scenario."""
    return [row(f, scenario, rounds) for f in FIGURES if f.scenario == scenario.name]
