"""Observe and kill the workers of a running service."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gevent

from tests.services import Service, wait_for


def kill_oldest_worker(service: Service) -> None:
    """Send SIGKILL and wait until gunicorn has replaced the worker."""
    before = service.workers
    os.kill(before[0], signal.SIGKILL)
    wait_for(lambda: len(service.workers) == len(before) and before[0] not in service.workers)


def anonymous_memory(pid: int) -> float:
    """Return the private memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise ValueError(pid)


@contextmanager
def memory_bounded(pid: int, megabytes: float) -> Iterator[None]:
    """Fail if the process grows by more than the limit within this context."""
    before = most = anonymous_memory(pid)

    def watch() -> None:
        nonlocal most
        while True:
            most = max(most, anonymous_memory(pid))
            gevent.sleep(0.01)

    watching = gevent.spawn(watch)
    try:
        yield
    finally:
        watching.kill()
    print(f"grew by {most - before:.1f} MB")
    assert most - before < megabytes
