"""The pool of connections, which counts who waits for one."""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.pool import QueuePool

from service.observing import measures
from service.observing.sampler import Sampler


class CountedPool(QueuePool):
    """A pool that never has more connections than its size."""

    waiting = 0

    def _do_get(self) -> Any:
        """The method that SQLAlchemy's pools override to hand out a connection."""
        if self.checkedout() < self.size():
            return super()._do_get()
        self.waiting += 1
        measures.CONNECTION_WAITS.inc()
        try:
            return super()._do_get()
        finally:
            self.waiting -= 1


def count_connections(sampler: Sampler, engine: Engine) -> None:
    """An engine may replace its pool, so it is asked for it each time."""

    def pool() -> CountedPool:
        assert isinstance(engine.pool, CountedPool)
        return engine.pool

    sampler.add(measures.CONNECTIONS_USED, lambda: pool().checkedout())
    sampler.add(measures.CONNECTIONS_LIMIT, lambda: pool().size())
    sampler.add(measures.CONNECTIONS_AWAITED, lambda: pool().waiting)
