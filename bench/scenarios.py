"""The scenarios (which peers, how many requests, at what rate), and how a round of one is run."""

import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bench import wire
from bench.ask import CallResult
from bench.calls import measure_calls
from bench.changes import ChangesResult, measure_changes
from bench.load import StreamJob, StreamResult
from bench.peers import Peer

# The results of one round, by the peer's name.
Round = dict[str, StreamResult | ChangesResult | CallResult]

SPARE_SECONDS = 30  # beyond a run's duration at its rate, until its streams count as incomplete


@dataclass(frozen=True)
class Scenario:
    """`streams` replies of `tokens` at `rate` tokens/s, opened over `ramp` seconds.

    With `parallel`, so many replies are open at a time. `fresh` restarts each peer, so that memory
    which an earlier scenario has left to the allocator does not hide what this one needs.
    With `subscribers`, `streams` changes are delivered to so many at `rate`, then in a burst.
    With `paced`, `streams` calls are made, `parallel` at a time, then `paced` calls at `rate`/s.
    """

    name: str
    streams: int
    tokens: int
    rate: float
    ramp: float = 0.0
    parallel: int = 0
    rounds: int = 3
    burst: int = 1
    fresh: bool = False
    subscribers: tuple[int, ...] = ()
    paced: int = 0
    peers: tuple[str, ...] = ("service", "bare", "naive")


SUBSCRIBERS = (1, 100, 1000)
RELAYS = ("bare", "naive")
AND_DIRECT = ("service", *RELAYS, "direct")
FULL = (
    Scenario("one", 1, 400, 200),
    Scenario("fifty", 50, 140, 40, ramp=0.5),
    Scenario("many", 500, 28, 4, ramp=3.5, rounds=2),
    Scenario("fast", 50, 300, 100, ramp=0.5, rounds=2),
    Scenario("burst", 50, 480, 160, ramp=0.5, rounds=2, burst=16),
    Scenario("turns", 200, 8, 1000, parallel=8),
    Scenario("turns-pg", 200, 8, 1000, parallel=8, rounds=2, peers=("service-pg", *RELAYS)),
    Scenario("first", 80, 8, 1000, parallel=1, peers=AND_DIRECT),
    Scenario("held", 2000, 40, 2, ramp=15, rounds=1, fresh=True),
    Scenario("changes", 30, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=("service", "bare")),
    Scenario("proxy", 400, 0, 100, parallel=8, rounds=2, paced=100, peers=AND_DIRECT),
)
QUICK = (
    Scenario("one", 1, 150, 200, rounds=1),
    Scenario("fifty", 50, 60, 40, ramp=0.5, rounds=1),
    Scenario("many", 100, 10, 4, ramp=0.8, rounds=1),
    Scenario("fast", 50, 150, 100, ramp=0.5, rounds=1),
    Scenario("burst", 50, 240, 160, ramp=0.5, rounds=1, burst=16),
    Scenario("turns", 60, 8, 1000, parallel=8, rounds=1),
    Scenario("turns-pg", 60, 8, 1000, parallel=8, rounds=1, peers=("service-pg", *RELAYS)),
    Scenario("first", 40, 8, 1000, parallel=1, rounds=1, peers=AND_DIRECT),
    Scenario("held", 200, 6, 2, ramp=1.5, rounds=1, fresh=True),
    Scenario("changes", 10, 1, 20, rounds=1, subscribers=SUBSCRIBERS, peers=("service", "bare")),
    Scenario("proxy", 100, 0, 100, parallel=8, rounds=1, paced=50, peers=AND_DIRECT),
)
WARM_UP = Scenario("warm-up", 30, 8, 1000, parallel=4)


def measure(scenario: Scenario, peers: Mapping[str, Peer], number: int) -> Round:
    """Run every peer once; the order changes with the round."""
    names = scenario.peers[number % 2 :] + scenario.peers[: number % 2]
    return {name: _run(scenario, peers[name]) for name in names if name in peers}


def start(peer: Peer) -> None:
    peer.start()
    load(WARM_UP, peer)


def _run(scenario: Scenario, peer: Peer) -> StreamResult | ChangesResult | CallResult:
    print(f"  {scenario.name}: {peer.name}", file=sys.stderr)
    if scenario.fresh:
        peer.stop()
        start(peer)
    if scenario.subscribers:
        return measure_changes(peer, scenario.subscribers, scenario.rate, scenario.streams)
    if scenario.paced:
        return measure_calls(
            peer, scenario.streams, scenario.parallel, scenario.rate, scenario.paced
        )
    return load(scenario, peer)


def load(scenario: Scenario, peer: Peer) -> StreamResult:
    """Run the load generator for one peer, in a process of its own."""
    text = wire.question(scenario.tokens, scenario.rate, scenario.burst)
    job = StreamJob(
        port=peer.port,
        requests=peer.requests(text, scenario.streams),
        tokens=scenario.tokens,
        interval=scenario.burst / scenario.rate,
        watch=peer.pid,
        deadline=scenario.ramp + scenario.tokens / scenario.rate + SPARE_SECONDS,
        starts=[] if scenario.parallel else _starts(scenario),
        parallel=scenario.parallel,
    )
    command = [sys.executable, "-m", "bench.load"]
    done = subprocess.run(
        command, input=json.dumps(asdict(job)), stdout=subprocess.PIPE, text=True, check=True
    )
    return StreamResult(**json.loads(done.stdout))


def _starts(scenario: Scenario) -> Sequence[float]:
    """Random start times, the same for every peer: even steps would synchronise the streams."""
    dice = random.Random(scenario.streams)
    return sorted(dice.uniform(0, scenario.ramp) for _ in range(scenario.streams))
