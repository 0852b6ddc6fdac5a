"""What is measured: who is asked how much at which pace, and how a round of it is run."""

import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bench import wire
from bench.ask import Answered
from bench.calls import call
from bench.changes import Told, tell
from bench.load import Job, Result
from bench.peers import Peer

# By the peer's name; one round's results belong together.
Round = dict[str, Result | Told | Answered]

SPARE_SECONDS = 30  # over what a run takes at its pace, before its streams count as incomplete


@dataclass(frozen=True)
class Scenario:
    """`streams` replies of `tokens` at `rate` tokens/s, opened over `ramp` seconds.

    With `parallel`, as one reply ends the next is asked for. `fresh` starts each peer anew, so
    that memory which an earlier scenario has left to the allocator is not mistaken for none.
    With `subscribers`, `streams` changes at `rate` are told to so many, and as many in a burst.
    With `paced`, `streams` calls are made, `parallel` at once, and then so many at `rate` calls/s.
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
    """Every peer once, in another order each round."""
    names = scenario.peers[number % 2 :] + scenario.peers[: number % 2]
    return {name: _run(scenario, peers[name]) for name in names if name in peers}


def start(peer: Peer) -> None:
    peer.start()
    load(WARM_UP, peer)


def _run(scenario: Scenario, peer: Peer) -> Result | Told | Answered:
    print(f"  {scenario.name}: {peer.name}", file=sys.stderr)
    if scenario.fresh:
        peer.stop()
        start(peer)
    if scenario.subscribers:
        return tell(peer, scenario.subscribers, scenario.rate, scenario.streams)
    if scenario.paced:
        return call(peer, scenario.streams, scenario.parallel, scenario.rate, scenario.paced)
    return load(scenario, peer)


def load(scenario: Scenario, peer: Peer) -> Result:
    """What the load generator, in a process of its own, says of one peer."""
    text = wire.question(scenario.tokens, scenario.rate, scenario.burst)
    job = Job(
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
    return Result(**json.loads(done.stdout))


def _starts(scenario: Scenario) -> Sequence[float]:
    """Irregular, but the same for every peer: even steps would make streams fall into phase."""
    dice = random.Random(scenario.streams)
    return sorted(dice.uniform(0, scenario.ramp) for _ in range(scenario.streams))
