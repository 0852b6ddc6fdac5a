"""The answer to a scrape: the metrics of all workers of this host, and facts about each of them."""

import math
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from prometheus_client import REGISTRY, CollectorRegistry, Metric, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.app_keys import AppKey
from service.observing import measures

COLLECTORS = AppKey[list[Collector]]("collectors")
PROC = Path("/proc")
PRIVATE = re.compile(r"^RssAnon:\s+(\d+) kB", re.MULTILINE)
FILES = re.compile(r"^Max open files\s+(\d+)", re.MULTILINE)


class WorkerFacts(Collector):
    """The kernel's facts about each worker, which are read at each scrape."""

    def __init__(self, workers: Iterable[str]) -> None:
        self._workers = workers

    def describe(self) -> list[Metric]:
        return list(self._families())

    def collect(self) -> Iterator[Metric]:
        memory, used, limit = self._families()
        for worker in self._workers:
            process = PROC / worker
            with suppress(OSError):  # the worker has just ended, or /proc is missing
                kib = _number(PRIVATE, process / "status")
                most, opened = _number(FILES, process / "limits"), os.listdir(process / "fd")
                if kib is None:  # it has ended, but its master has not noticed yet
                    continue
                memory.add_metric([worker], kib * 1024)
                limit.add_metric([worker], math.inf if most is None else most)  # "unlimited"
                used.add_metric([worker], len(opened))
        yield from (memory, used, limit)

    def _families(self) -> tuple[GaugeMetricFamily, GaugeMetricFamily, GaugeMetricFamily]:
        labels = ["worker"]
        return (
            GaugeMetricFamily("worker_memory_bytes", "Private memory of a worker.", labels=labels),
            GaugeMetricFamily("worker_files_open", "Open files of a worker.", labels=labels),
            GaugeMetricFamily("worker_files_limit", "Files it may open.", labels=labels),
        )


def _number(pattern: re.Pattern[str], file: Path) -> float | None:
    found = pattern.search(file.read_text())
    return float(found[1]) if found else None


def metrics_registry() -> CollectorRegistry:
    """Return the metrics of all workers, or of this process if it runs without gunicorn."""
    if values.ValueClass is values.MutexValue:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry


class Scrape(Collector):
    """All metrics: counts of the workers, facts about them, and further collectors."""

    def __init__(self, further: Iterable[Collector]) -> None:
        self._further = further

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        workers = []
        for metric in metrics_registry().collect():
            if metric.name == measures.STARTED._name:
                workers = [sample.labels["worker"] for sample in metric.samples]
            yield metric
        for collector in (WorkerFacts(workers or [str(os.getpid())]), *self._further):
            yield from collector.collect()


def registry(further: Iterable[Collector]) -> CollectorRegistry:
    """Return the registry that one scrape reads."""
    made = CollectorRegistry(auto_describe=False)
    made.register(Scrape(further))
    return made
