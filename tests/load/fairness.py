"""How much one user with 500 calls delays the others: rounds with and without that user, by turns.

Everybody makes calls whose vendor takes a fifth of a second. What a busy machine adds is in both
kinds of rounds, so only the ratio of the medians means something.
"""

import itertools
import time
import uuid
from pathlib import Path
from statistics import median

import gevent
from gevent.pool import Pool

from tests.load.deployment import Deployment, deploy
from tests.load.observations import Observations
from tests.load.user_requests import RetryingClient
from tests.load.user_writes import SEARCH
from tests.services import Databases

CALLS = 500
AT_ONCE = 100  # connections of the user with many calls
OTHERS = 10
ROUNDS = 3  # of each kind
SECONDS = 5.0  # of a round without that user
PAUSE = 0.3
MOST = 1.2  # the ratio


def main(databases: Databases, directory: Path) -> int:
    """Print the ratio; 1 if it is too large."""
    with deploy(databases, directory, quick=False) as made:
        others = [RetryingClient(made, Observations(f"user-{number}")) for number in range(OTHERS)]
        _round(made, others, 1.0, heavy=False)  # warms up
        took: dict[bool, list[float]] = {False: [], True: []}
        for number, heavy in itertools.product(range(ROUNDS), (False, True)):
            latencies = _round(made, others, SECONDS, heavy)
            took[heavy] += latencies
            kind = "with" if heavy else "without"
            print(f"round {number + 1} {kind}: {1000 * median(latencies):.0f} ms")
    ratio = median(took[True]) / median(took[False])
    print(f"one user with {CALLS} calls: the others' median latency x {ratio:.2f}, at most {MOST}")
    return int(ratio > MOST)


def _round(
    made: Deployment, others: list[RetryingClient], seconds: float, heavy: bool
) -> list[float]:
    """The latencies of the others' calls; with `heavy`, of those while the 500 are made."""
    latencies: list[float] = []
    job = (_make_many, made) if heavy else (gevent.sleep, seconds)
    until = gevent.spawn(*job)

    def make(client: RetryingClient) -> None:
        while not until.ready():
            began = time.monotonic()
            assert _call(client) == 200
            latencies.append(time.monotonic() - began)
            gevent.sleep(PAUSE)

    gevent.joinall([until, *(gevent.spawn(make, client) for client in others)], raise_error=True)
    return latencies


def _make_many(made: Deployment) -> None:
    doors = [RetryingClient(made, Observations("heavy")) for _ in range(AT_ONCE)]
    pool = Pool(AT_ONCE)
    share = CALLS // AT_ONCE
    for client in doors:
        pool.spawn(_make_some, client, share)
    pool.join(raise_error=True)


def _make_some(client: RetryingClient, count: int) -> None:
    for _ in range(count):
        while (status := _call(client)) == 429:
            gevent.sleep(1)
        assert status == 200
    client.session.close()


def _call(client: RetryingClient) -> int:
    answer = client.send("POST", SEARCH, {"query": uuid.uuid4().hex})
    return answer.status_code if answer is not None else 0
