"""Read a gauge of each worker of this host from the files for metrics."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from prometheus_client import Gauge
from prometheus_client.mmap_dict import MmapedDict

from service.observing import measures


def of_ready_workers(gauge: Gauge, directory: Path) -> list[float]:
    """Return a gauge of all workers that take new work, including this one.

    The gauge has no labels. Its value is as old as the worker's last sample. `directory` is the
    directory of the metrics.
    """
    workers = [dict(_values(file)) for file in directory.glob("gauge_livesum_*.db")]
    ready, wanted = measures.WORKERS_READY._name, gauge._name
    return [worker.get(wanted, 0.0) for worker in workers if worker.get(ready)]


def _values(file: Path) -> Iterator[tuple[str, float]]:
    with suppress(FileNotFoundError):  # its worker has just died
        for key, value, *_ in MmapedDict.read_all_values_from_file(str(file)):
            metric, _sample, labels, _help = json.loads(key)
            if not labels:
                yield metric, value
