"""Run several generators of chunks in parallel, and merge their chunks as they arrive."""

from collections.abc import Generator, Sequence

import gevent
from gevent.queue import SimpleQueue
from gevent.util import wrap_errors

from service.chat.stream.chunks import Chunk

Chunks = Generator[Chunk, None, None]


def merge(generators: Sequence[Chunks], most: int) -> Chunks:
    """Yield the chunks of all generators in the order of arrival; `most` run at the same time.

    Each runs in a greenlet that inherits the facts for logs. All greenlets have ended when this
    generator ends: also when it is closed, when the caller is interrupted, or when one of them
    raises an error, which is raised here.
    """
    if len(generators) == 1:
        yield from generators[0]
        return
    waiting = iter(generators)
    # Not bounded: a tool call has at most five chunks, which are stored with the message anyway.
    ready: SimpleQueue[Chunk | gevent.Greenlet] = SimpleQueue()

    def work() -> None:
        for generator in waiting:
            for chunk in generator:
                ready.put(chunk)

    # An error is raised below, so gevent must not report it as an uncaught one.
    carry = wrap_errors(Exception, work)
    workers = [gevent.spawn(carry) for _ in range(min(most, len(generators)))]
    for worker in workers:
        worker.link(ready.put)
    try:
        yield from _until_all_end(ready, len(workers))
    finally:
        gevent.killall(workers)


def _until_all_end(ready: "SimpleQueue[Chunk | gevent.Greenlet]", running: int) -> Chunks:
    while running:
        item = ready.get()
        if isinstance(item, gevent.Greenlet):
            if isinstance(item.value, Exception):
                raise item.value
            running -= 1
        else:
            yield item
