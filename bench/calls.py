"""The `proxy` scenario: calls of an endpoint that only reads, and what the way through costs."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict

from bench import lookup
from bench.ask import Answered, Job
from bench.peers import Peer
from bench.people import DAY
from config import load
from service.auth.tokens import issue
from tests.services import ENVIRONMENT

PEOPLE = 8


def call(peer: Peer, calls: int, parallel: int, rate: float, paced: int) -> Answered:
    """What the load generator, in a process of its own, says of one peer."""
    template = lookup.UPSTREAM if peer.name == "direct" else lookup.OURS
    job = Job(
        port=peer.port,
        path=template,
        tokens=[issue(load(ENVIRONMENT), f"bench-{n}", "user", DAY) for n in range(PEOPLE)],
        calls=calls,
        parallel=parallel,
        rate=rate,
        paced=paced,
        watch=peer.pid,
    )
    command = [sys.executable, "-m", "bench.ask"]
    done = subprocess.run(
        command, input=json.dumps(asdict(job)), stdout=subprocess.PIPE, text=True, check=True
    )
    return Answered(**json.loads(done.stdout))


def cpu(answered: Answered) -> float:
    """µs for each call of the closed loop."""
    return answered.cpu / 1e3 / answered.calls


def latency(share: float) -> Callable[[Answered], float]:
    """Milliseconds from when a call was due to its answer, at a quantile."""

    def value(answered: Answered) -> float:
        times = answered.latencies
        return times[int(share * (len(times) - 1))] / 1e3 if times else math.nan

    return value
