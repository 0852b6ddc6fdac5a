"""Tells what /proc does not know of a worker: its greenlets and its connections in use.

An extension without declarations (`EXTENSIONS`): each worker has a thread of the operating system
that writes a file with these counts, named by the worker's process id, into BENCH_GAUGES.
"""

import gc
import json
import os
from pathlib import Path
from typing import Any

from gevent.monkey import get_original
from greenlet import greenlet
from sqlalchemy import event
from sqlalchemy.pool import Pool

PERIOD = 5  # seconds
_in_use: set[int] = set()


def greenlets() -> int:
    """Those that have not ended. `type`, because `isinstance` would ask Flask's proxies."""
    return sum(issubclass(type(one), greenlet) and not one.dead for one in gc.get_objects())


def _report() -> None:
    sleep, directory = get_original("time", "sleep"), Path(os.environ["BENCH_GAUGES"])
    path = directory / str(os.getpid())
    while True:
        path.with_suffix(".new").write_text(json.dumps([greenlets(), len(_in_use)]))
        path.with_suffix(".new").replace(path)
        sleep(PERIOD)


def _begin() -> None:
    get_original("_thread", "start_new_thread")(_report, ())


@event.listens_for(Pool, "checkout")
def _checkout(_connection: Any, record: Any, _proxy: Any) -> None:
    _in_use.add(id(record))


@event.listens_for(Pool, "checkin")
def _checkin(_connection: Any, record: Any) -> None:
    _in_use.discard(id(record))


os.register_at_fork(after_in_child=_begin)
