"""Tells what /proc does not know of a worker: its greenlets and its connections in use.

An extension without declarations (`EXTENSIONS`): each worker has a thread of the operating system
that writes a file with these counts, named by the worker's process id, into BENCH_GAUGES.
"""

import gc
import json
import os
from pathlib import Path
from weakref import WeakSet

from gevent.monkey import get_original
from greenlet import greenlet
from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import QueuePool

PERIOD = 5  # seconds
_pools: WeakSet[QueuePool] = WeakSet()


def greenlets() -> int:
    """Those that have not ended. `type`, because `isinstance` would ask Flask's proxies."""
    return sum(issubclass(type(one), greenlet) and not one.dead for one in gc.get_objects())


def connections() -> int:
    """Those in use, without those that a worker keeps ready."""
    return sum(pool.checkedout() for pool in list(_pools))


def _report() -> None:
    sleep, directory = get_original("time", "sleep"), Path(os.environ["BENCH_GAUGES"])
    path = directory / str(os.getpid())
    while True:
        path.with_suffix(".new").write_text(json.dumps([greenlets(), connections()]))
        path.with_suffix(".new").replace(path)
        sleep(PERIOD)


def _begin() -> None:
    get_original("_thread", "start_new_thread")(_report, ())


@event.listens_for(Engine, "engine_connect")
def _remember(connection: Connection) -> None:
    if isinstance(connection.engine.pool, QueuePool):
        _pools.add(connection.engine.pool)


os.register_at_fork(after_in_child=_begin)
