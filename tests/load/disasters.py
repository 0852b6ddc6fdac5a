"""The disasters of a load: workers are killed, the database is cut, the service is reloaded."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import gevent

from tests.load.deployment import Deployment


@dataclass(frozen=True)
class Schedule:
    """Seconds between two events of each kind, and how long the database is away."""

    kill: float = 20
    cut: float = 60
    restart: float = 90
    away: float = 2


class Disasters:
    def __init__(self, deployment: Deployment, schedule: Schedule, until: float) -> None:
        self.kills = self.cuts = self.restarts = 0
        self.failed: list[str] = []  # restarts
        self._deployment, self._away, self._dice = deployment, schedule.away, random.Random(0)
        self._until, self._cut_until = until, 0.0
        each = ((self._kill, schedule.kill), (self._cut, schedule.cut))
        each += ((self._restart, schedule.restart),)
        self._jobs = [gevent.spawn(self._repeat, *one) for one in each]

    def finish(self) -> None:
        """Wait for those that have begun."""
        gevent.joinall(self._jobs, raise_error=True)

    def _repeat(self, disaster: Callable[[], None], pause: float) -> None:
        due = time.monotonic() + pause
        while time.monotonic() < self._until:
            gevent.sleep(0.1)
            if time.monotonic() >= due:
                disaster()
                due = max(due + pause, time.monotonic())

    def _kill(self) -> None:
        workers = self._deployment.workers()
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self._dice.choice(workers), signal.SIGKILL)
                self.kills += 1

    def _cut(self) -> None:
        self._cut_until = time.monotonic() + self._away
        self._deployment.proxy.set("refuse")
        gevent.sleep(self._away)
        self._deployment.proxy.set("pass")
        self.cuts += 1

    def _restart(self) -> None:
        """A reload that met a cut fails, since it migrates; then it is tried once more."""
        began = time.monotonic()
        is_done = self._deployment.server.restart()
        if not is_done and began < self._cut_until:
            is_done = self._deployment.server.restart()
        if is_done:
            self.restarts += 1
        else:
            self.failed.append(self._deployment.server.log[-2000:])
