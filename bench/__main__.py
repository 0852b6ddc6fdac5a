"""`python -m bench`: print every figure of the service beside its floors from the same run."""

import argparse
import contextlib
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench import compaction, figures, limits, rounds, rows, scenarios, start
from bench.canvas import scenario as canvas
from bench.databases import Databases
from bench.peers.known import Peers
from bench.rounds import Round
from bench.scenarios import Scenario

# Scenarios that need no upstream and none of the peers; these are run only if they are named.
ALONE = {compaction.NAME: compaction.rows, start.NAME: start.rows, canvas.NAME: canvas.rows}
EXTRA = {canvas.NAME}

failed: list[str] = []  # scenarios


def main() -> int:
    """The number of runs with faults, such as a missing token, and of scenarios that failed."""
    arguments = _arguments()
    selected = _select(arguments)
    most = limits.raise_descriptors()
    began = time.monotonic()
    with limits.pinned(limits.CLIENT_CORE):
        measured = _measured(selected, most)
        done = [scenario for scenario in selected if scenario.name in measured]
        lines = [line for each in done for line in rows.table(each, measured[each.name])]
        for name, measure in ALONE.items():
            if name in (arguments.only or set(ALONE) - EXTRA):
                with _going_on(name):
                    lines += _alone(measure, 1 if arguments.quick else 3)
    _print(lines)
    cores = len(limits.CORES)
    print(f"\n{time.strftime('%Y-%m-%d')}, {cores} core(s), {time.monotonic() - began:.0f} s")
    return _faults(measured) + len(failed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="takes a minute, with less accurate figures"
    )
    names = [*(scenario.name for scenario in scenarios.FULL), *ALONE]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=str(names))
    return parser.parse_args()


def _select(arguments: argparse.Namespace) -> list[Scenario]:
    known = scenarios.QUICK if arguments.quick else scenarios.FULL
    if arguments.only:
        return [scenario for scenario in known if scenario.name in arguments.only]
    return [scenario for scenario in known if not scenario.extra]


def _measured(selected: Sequence[Scenario], most: int) -> dict[str, list[Round]]:
    """The rounds of each scenario by its name; `most` is the limit of descriptors."""
    measured = {}
    with _going_on("stopping the peers"), Peers(rounds.start) as peers:
        for number, scenario in enumerate(selected):
            if scenario.descriptors > most:
                needed = f"{scenario.descriptors} descriptors, and may have {most}"
                print(f"{scenario.name} is left out: it needs {needed}", file=sys.stderr)
                continue
            with _going_on(scenario.name):
                peers.keep(name for later in selected[number:] for name in later.peers)
                running = peers.get(scenario.peers)
                if scenario.peers[0] in running:
                    results = [_measure(scenario, running, n) for n in range(scenario.rounds)]
                    measured[scenario.name] = results
    return measured


@contextlib.contextmanager
def _going_on(name: str) -> Iterator[None]:
    """Note that a scenario has failed, and go on with the next: a run takes long."""
    try:
        yield
    except Exception:
        failed.append(name)
        print(f"{name} has failed:\n{traceback.format_exc()}", file=sys.stderr)


def _measure(scenario: Scenario, running: Mapping[str, rounds.Peer], number: int) -> Round:
    print(f"{scenario.name}, round {number + 1} of {scenario.rounds}", file=sys.stderr)
    return rounds.measure(scenario, running, number)


def _alone(
    rows: Callable[[int, Databases], list[tuple[str, ...]]], rounds: int
) -> list[tuple[str, ...]]:
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        databases = Databases(Path(directory))
        return rows(rounds, databases)


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    lines = [figures.HEADINGS, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    for line in lines:
        print("| " + " | ".join(map(str.ljust, line, widths)) + " |")


def _faults(measured: Mapping[str, Sequence[Round]]) -> int:
    count = 0
    for name in failed:
        print(f"{name}: failed, see above")
    for name, results in measured.items():
        for peer, result in [pair for round_ in results for pair in round_.items()]:
            if result.faults:
                count += 1
                print(f"{name}, {peer}: {'; '.join(result.faults)}")
    return count


if __name__ == "__main__":
    sys.exit(main())
