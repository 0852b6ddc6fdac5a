"""`python -m bench`: print every figure of the service beside its floors from the same run."""

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench import compaction, figures, limits, rounds, scenarios
from bench.canvas import scenario as canvas
from bench.peers import Peer, command
from bench.peers.service import OurService
from bench.rounds import Round
from bench.scenarios import Scenario
from tests.postgres import binaries
from tests.services import Databases


def main() -> int:
    """The number of runs with faults, for example a missing token or a wrong order."""
    arguments = _arguments()
    selected = _select(arguments)
    limits.raise_descriptors()
    began = time.monotonic()
    with limits.pinned(limits.CLIENT_CORE), _started(selected) as running:
        measured = {scenario.name: _measure(scenario, running) for scenario in selected}
    rows = [row for s in selected if measured[s.name] for row in figures.table(s, measured[s.name])]
    if not arguments.only or compaction.NAME in arguments.only:
        rows += _alone(compaction.rows, 1 if arguments.quick else 3)
    if canvas.NAME in (arguments.only or ()):
        rows += _alone(canvas.rows, 1 if arguments.quick else 3)
    _print(rows)
    cores = len(limits.CORES)
    print(f"\n{time.strftime('%Y-%m-%d')}, {cores} core(s), {time.monotonic() - began:.0f} s")
    return _faults(measured)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="takes a minute, with less accurate figures"
    )
    names = [*(scenario.name for scenario in scenarios.FULL), compaction.NAME, canvas.NAME]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=str(names))
    return parser.parse_args()


def _select(arguments: argparse.Namespace) -> list[Scenario]:
    known = scenarios.QUICK if arguments.quick else scenarios.FULL
    selected = [s for s in known if not arguments.only or s.name in arguments.only]
    return [s for s in selected if "service-pg" not in s.peers or binaries()]


@contextlib.contextmanager
def _started(selected: Sequence[Scenario]) -> Iterator[Mapping[str, Peer]]:
    """The upstream and every peer that the scenarios need, by name."""
    names = {name for scenario in selected for name in scenario.peers}
    with contextlib.ExitStack() as stack, tempfile.TemporaryDirectory(prefix="bench-") as directory:
        databases = Databases(Path(directory))
        stack.callback(databases.remove)
        upstream = command.upstream()
        upstream.start()
        stack.callback(upstream.stop)
        running: dict[str, Peer] = {upstream.name: upstream}
        for peer in _peers(upstream.port, databases):
            if peer.name in names:
                stack.callback(peer.stop)
                rounds.start(peer)
                running[peer.name] = peer
        yield running


def _peers(port: int, databases: Databases) -> list[Peer]:
    return [
        OurService("service", "sqlite", port, databases),
        OurService("service-pg", "postgresql", port, databases),
        command.bare(port),
        command.naive(port),
    ]


def _measure(scenario: Scenario, running: Mapping[str, Peer]) -> list[Round]:
    results = []
    for number in range(scenario.rounds):
        print(f"{scenario.name}, round {number + 1} of {scenario.rounds}", file=sys.stderr)
        results.append(rounds.measure(scenario, running, number))
    return results


def _alone(
    rows: Callable[[int, Databases], list[tuple[str, ...]]], rounds: int
) -> list[tuple[str, ...]]:
    """The rows of a scenario that needs no upstream and none of the peers."""
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        databases = Databases(Path(directory))
        with limits.pinned(limits.CLIENT_CORE):
            return rows(rounds, databases)


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    lines = [figures.HEADINGS, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    for line in lines:
        print("| " + " | ".join(map(str.ljust, line, widths)) + " |")


def _faults(measured: Mapping[str, Sequence[Round]]) -> int:
    count = 0
    for name, results in measured.items():
        for peer, result in [pair for round_ in results for pair in round_.items()]:
            if result.faults:
                count += 1
                print(f"{name}, {peer}: {'; '.join(result.faults)}")
    return count


if __name__ == "__main__":
    sys.exit(main())
