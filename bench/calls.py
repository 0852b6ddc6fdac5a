"""The `proxy` scenario: calls of a read-only endpoint, and what the service adds to them."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict

from bench import lookup
from bench.ask import CallJob, CallResult
from bench.peers import Peer
from bench.people import DAY
from config import load
from service.auth.tokens import issue
from tests.services import ENVIRONMENT

PEOPLE = 8
ROOM = 10_000  # more numbers than a round uses


def measure_calls(
    peer: Peer, number: int, calls: int, parallel: int, rate: float, paced: int
) -> CallResult:
    """Run the load generator for one peer in round `number`, in a process of its own."""
    template = lookup.UPSTREAM if peer.name == "direct" else lookup.SERVICE
    job = CallJob(
        first=number * ROOM,
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
    return CallResult(**json.loads(done.stdout))


def cpu(result: CallResult) -> float:
    """µs per call of the closed loop, when it is made for the first time."""
    return result.cpu / 1e3 / result.calls


def again_cpu(result: CallResult) -> float:
    """… when it is made again."""
    return result.again_cpu / 1e3 / result.calls


def latency(share: float) -> Callable[[CallResult], float]:
    """Milliseconds from when a call was due to its answer, at a quantile."""

    def value(result: CallResult) -> float:
        times = result.latencies
        return times[int(share * (len(times) - 1))] / 1e3 if times else math.nan

    return value
