"""Spread sockets over the workers of a host again after a new worker has started.

When a worker dies, its clients connect to the others, and would stay there. So a worker with
clearly more sockets than the others closes a few of them each second. Their clients connect again
with their cursors and miss nothing.
Source: docs/decisions/0035.
"""

from pathlib import Path
from statistics import fmean

import gevent
import structlog
from flask import Flask

from service.lifecycle import LIFECYCLE
from service.limits.concurrency import CONCURRENCY
from service.observing import measures, worker_gauges
from service.records.feed import FEED
from service.supervised import LastingGreenlets

ROUND_SECONDS = 1.0
QUIET_SECONDS = 10.0  # without an operation of the client, so that closing disturbs none
# Sockets above the mean that stay: a number, or a part of the mean if that is more.
LEAST_SURPLUS, SURPLUS_SHARE = 4, 0.2
# Sockets that are closed in a round: a number, or a part of the worker's sockets if that is more.
LEAST_CLOSED, CLOSED_SHARE = 2, 0.02

log = structlog.get_logger("socket")


def surplus(own: int, all_workers: list[float]) -> int:
    """Return how many of its `own` sockets a worker closes in this round."""
    mean = fmean(all_workers) if all_workers else own
    if own - mean <= max(LEAST_SURPLUS, mean * SURPLUS_SHARE):
        return 0
    return max(LEAST_CLOSED, int(own * CLOSED_SHARE))


class SocketSpread:
    """Compares the workers once a second."""

    def __init__(self, app: Flask) -> None:
        self._lifecycle = LIFECYCLE.of(app)
        self._concurrency = CONCURRENCY.of(app)
        self._feed = FEED.of(app)

    def start(self, directory: Path) -> None:
        """Start comparing. `directory` has the metrics of all workers."""
        LastingGreenlets("spread").spawn(self._work, directory)

    def _work(self, directory: Path) -> None:
        while not self._lifecycle.draining:
            gevent.sleep(ROUND_SECONDS)
            self._round(directory)

    def _round(self, directory: Path) -> None:
        own = self._concurrency.count("sockets")
        count = surplus(own, worker_gauges.of_ready_workers(measures.SOCKETS, directory))
        if count:
            moved = self._feed.move(count, QUIET_SECONDS)
            measures.SOCKETS_MOVED.inc(moved)
            log.info("sockets moved", count=moved, open=own)
