"""How a round of a scenario is run: every peer once, the load generator in a process of its own."""

import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from bench import wire
from bench.ask import CallResult
from bench.calls import measure_calls
from bench.changes import ChangesResult, measure_changes
from bench.load import StreamJob, StreamResult
from bench.peers import Peer
from bench.people import Question
from bench.scenarios import WARM_UP, Scenario

# The results of one round, by the peer's name.
Round = dict[str, StreamResult | ChangesResult | CallResult]

SPARE_SECONDS = 30  # beyond a run's duration at its rate, until its streams count as incomplete


def measure(scenario: Scenario, peers: Mapping[str, Peer], number: int) -> Round:
    """Run every peer once; the order changes with the round."""
    names = scenario.peers[number % 2 :] + scenario.peers[: number % 2]
    return {name: _run(scenario, peers[name], number) for name in names if name in peers}


def start(peer: Peer) -> None:
    peer.start()
    load(WARM_UP, peer)


def _run(scenario: Scenario, peer: Peer, number: int) -> StreamResult | ChangesResult | CallResult:
    print(f"  {scenario.name}: {peer.name}", file=sys.stderr)
    if scenario.fresh:
        peer.stop()
        start(peer)
    if scenario.subscribers:
        return measure_changes(peer, scenario.subscribers, scenario.rate, scenario.streams)
    if scenario.paced:
        return measure_calls(
            peer, number, scenario.streams, scenario.parallel, scenario.rate, scenario.paced
        )
    return load(scenario, peer)


def load(scenario: Scenario, peer: Peer) -> StreamResult:
    """Run the load generator for one peer, in a process of its own."""
    starts = [] if scenario.parallel else _starts(scenario)
    tokens = _tokens(scenario, starts)
    job = StreamJob(
        port=peer.port,
        requests=peer.requests([_question(scenario, count) for count in tokens]),
        tokens=tokens,
        interval=scenario.burst / scenario.rate,
        watch=peer.pid,
        beside=list(peer.beside),
        deadline=scenario.ramp + scenario.tokens / scenario.rate + SPARE_SECONDS,
        starts=starts,
        parallel=scenario.parallel,
    )
    command = [sys.executable, "-m", "bench.load"]
    done = subprocess.run(
        command, input=json.dumps(asdict(job)), stdout=subprocess.PIPE, text=True, check=True
    )
    return StreamResult(**json.loads(done.stdout))


def _question(scenario: Scenario, tokens: int) -> Question:
    text = wire.question(tokens, scenario.rate, scenario.burst, scenario.steps)
    return Question(text, scenario.model, scenario.history)


def _starts(scenario: Scenario) -> list[float]:
    """Random start times, the same for every peer: even steps would synchronise the streams."""
    dice = random.Random(scenario.streams)
    return sorted(dice.uniform(0, scenario.ramp) for _ in range(scenario.streams))


def _tokens(scenario: Scenario, starts: Sequence[float]) -> list[int]:
    """Of each stream: fewer the later it starts, if all of them end together."""
    if not scenario.together:
        return [scenario.tokens] * scenario.streams
    return [scenario.tokens - round(start * scenario.rate) for start in starts]
