"""Gauges of this worker, which are set once a second from facts that the worker has anyway.

They cost nothing at an event. A package adds its gauges when it is set up.
"""

from collections.abc import Callable

import gevent
from prometheus_client import Gauge

from service.app_keys import AppKey
from service.supervised import LastingGreenlets

SAMPLE_SECONDS = 1.0
SAMPLER = AppKey["Sampler"]("sampler")


class Sampler:
    """Sets gauges to the results of their functions, which must neither wait nor raise."""

    def __init__(self) -> None:
        self._gauges: list[tuple[Gauge, Callable[[], float]]] = []

    def add(self, gauge: Gauge, read: Callable[[], float]) -> None:
        self._gauges.append((gauge, read))

    def start(self) -> None:
        LastingGreenlets("sampler").spawn(self._work)

    def sample(self) -> None:
        for gauge, read in self._gauges:
            gauge.set(read())

    def _work(self) -> None:
        while True:
            self.sample()
            gevent.sleep(SAMPLE_SECONDS)
