"""`python -m bench.soak --minutes 30`: whether memory, descriptors or greenlets grow.

Two workers of gunicorn get half of the turns, calls and changes that one can do. The rates are
found first, unless they are given. It fails if a figure grows by more than its bound, if an answer
is wrong, or if a worker ends.
"""

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import accounts, limits
from bench.databases import Databases
from bench.peers.command import Upstream
from bench.peers.service import OurService, settings
from bench.soak import verdict
from bench.soak.load import Client, Listening, Pace
from bench.soak.samples import BOUNDS, Samples
from tests.postgres import binaries

LOAD = 0.5  # of what one worker can do
EVERY = 5.0  # seconds between two samples
INTERVAL = 300.0  # seconds of a line in the table
LINES = 6  # of the table of a shorter run
AT_ONCE = {"turns": 20, "calls": 8, "changes": 4}  # to find what each costs
TRIES = {"turns": 40, "calls": 200, "changes": 60}
# That may be under way. Each thread for calls and changes keeps a connection: were there more of
# them, a pause of the machine would make more, and count as the service's descriptors.
MOST = {"turns": 200, "calls": 8, "changes": 4}
WARM_UP = 20  # seconds of load before the first sample


def main() -> int:
    arguments = _arguments()
    limits.raise_descriptors()
    with limits.pinned(limits.CLIENT_CORE), _service(arguments.database) as (service, gauges):
        client = Client(service.port)
        actions = {"turns": client.turn, "calls": client.call, "changes": client.change}
        listening = Listening(client.subscribers())
        given = {kind: getattr(arguments, kind) for kind in MOST}
        rates = _rates(actions, given, service.pid)
        paces = [Pace(kind, actions[kind], rates[kind], MOST[kind]) for kind in MOST]
        try:
            time.sleep(WARM_UP)
            samples = Samples(service.pid, gauges)
            _sample(samples, arguments.minutes * 60)
        except RuntimeError:
            print(*service.complaints, sep="\n", file=sys.stderr)  # the log is about to be removed
            raise
        finally:
            for pace in paces:
                pace.stop()
        ended = list(listening.endings)  # the rest ends with the service
        if ended or any(pace.faults for pace in paces):
            print(*service.warnings[:20], sep="\n", file=sys.stderr)
    print(f"deliveries: {listening.messages}, {len(ended)} sockets ended", *ended[:3], sep="\n")
    return max(int(bool(ended)), _report(samples, paces, arguments.minutes * 60))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    default = "postgresql" if binaries() else "sqlite"
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default=default)
    for kind in MOST:
        parser.add_argument(f"--{kind}", type=float, metavar="PER_SECOND", help=f"{kind}/s")
    return parser.parse_args()


@contextlib.contextmanager
def _service(database: str) -> Iterator[tuple[OurService, Path]]:
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-soak-"))
        gauges = Path(name) / "gauges"
        gauges.mkdir()
        databases = Databases(Path(name))
        stack.callback(databases.remove)
        upstream = Upstream("direct")
        upstream.start()
        stack.callback(upstream.stop)
        special = {"EXTENSIONS": "bench.board,bench.soak.gauge", "WEB_CONCURRENCY": 2}
        special |= {"BENCH_GAUGES": gauges, "PYTHONFAULTHANDLER": 1}
        given = {**settings(upstream.url), **special}
        service = OurService("service", database, databases, given)
        stack.callback(service.stop)
        service.start()
        yield service, gauges


def _rates(
    actions: dict[str, Callable[[], None]], given: dict[str, float | None], pid: int
) -> dict[str, float]:
    """Per second: what is given, else so many that all kinds together are half of one worker."""
    rates = {}
    for kind, action in actions.items():
        _cost(kind, action, pid)  # to warm up
        cost = _cost(kind, action, pid)
        rates[kind] = given[kind] or LOAD / len(actions) / cost
        print(f"{kind}: {cost * 1e3:.2f} ms of CPU each, {rates[kind]:.1f}/s", file=sys.stderr)
    return rates


def _cost(kind: str, action: Callable[[], None], pid: int) -> float:
    """Seconds of CPU of all workers for one."""
    before, count = accounts.usage(pid), TRIES[kind]
    with ThreadPoolExecutor(AT_ONCE[kind]) as pool:
        for done in [pool.submit(action) for _ in range(count)]:
            done.result()
    return accounts.usage(pid).cpu_since(before) / 1e9 / count


def _sample(samples: Samples, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(EVERY)
        samples.take()


def _report(samples: Samples, paces: list[Pace], seconds: float) -> int:
    """Print the table and the verdicts; 1 if anything is wrong."""
    interval = INTERVAL if seconds > INTERVAL * 2 else seconds / LINES
    print("\n".join(verdict.table(samples.points, interval)), end="\n\n")
    growths = [verdict.growth(bound, samples.points[bound.name]) for bound in BOUNDS]
    print("\n".join(map(str, growths)))
    for pace in paces:
        faults = f", {len(pace.faults)} wrong: {pace.faults[:3]}" if pace.faults else ""
        print(f"{pace.name}: {pace.done}{faults}")
    return int(any(pace.faults for pace in paces) or any(each.failed for each in growths))


if __name__ == "__main__":
    sys.exit(main())
