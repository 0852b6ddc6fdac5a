"""Samples of a service's workers: memory, descriptors, greenlets, connections in use."""

import json
import time
from pathlib import Path

from bench import accounts
from bench.soak.verdict import Bound

MEMORY, DESCRIPTORS, GREENLETS, POOL = "RssAnon MB", "descriptors", "greenlets", "pool in use"
# Of all workers together. A leak of 1 KB a turn is 15 MB at 12 turns a second for 20 minutes.
BOUNDS = (Bound(MEMORY, 8), Bound(DESCRIPTORS, 20), Bound(GREENLETS, 20), Bound(POOL, 5))


class Samples:
    """`points` are pairs of seconds since the beginning and a value, by figure."""

    def __init__(self, pid: int, gauges: Path) -> None:
        """`pid` is gunicorn's; `gauges` is the directory of the workers' own counts."""
        self._pid = pid
        self._gauges = gauges
        self.workers = accounts.children(pid)
        self.began = time.monotonic()
        self.points: dict[str, list[tuple[float, float]]] = {b.name: [] for b in BOUNDS}

    def take(self) -> None:
        """Raises `RuntimeError` if a worker has been replaced."""
        if accounts.children(self._pid) != self.workers:
            raise RuntimeError("a worker has ended")
        self._note(MEMORY, sum(map(accounts.anonymous, self.workers)) / 1024)
        self._note(DESCRIPTORS, sum(map(_descriptors, self.workers)))
        counts = [json.loads((self._gauges / str(pid)).read_text()) for pid in self.workers]
        self._note(GREENLETS, sum(greenlets for greenlets, _ in counts))
        self._note(POOL, sum(used for _, used in counts))

    def _note(self, name: str, value: float) -> None:
        self.points[name].append((time.monotonic() - self.began, value))


def _descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
