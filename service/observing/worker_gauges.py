"""What the workers of this host know of each other: a gauge of each, in the files for metrics."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from prometheus_client import Gauge
from prometheus_client.mmap_dict import MmapedDict

from service.observing import measures


def of_ready_workers(gauge: Gauge, directory: Path) -> list[float]:
    """The gauge, which has no labels, of each worker that takes new work, this one too.

    It is as old as the worker's last sample. The directory is that of the metrics.
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
