"""Several generators of chunks at the same time, merged into one as their chunks come."""

from collections.abc import Generator, Sequence

import gevent
from gevent.queue import SimpleQueue
from gevent.util import wrap_errors

from service.chat.stream.chunks import Chunk

Chunks = Generator[Chunk, None, None]


def merge(generators: Sequence[Chunks], most: int) -> Chunks:
    """The chunks of all of them, in the order of their coming; `most` of them run at once.

    Each runs in a greenlet that inherits the facts for logs. All these have ended when this
    generator has: also if it is closed, if the caller is interrupted, or if one of them raises,
    which is raised here.
    """
    if len(generators) == 1:
        yield from generators[0]
        return
    waiting = iter(generators)
    # Not bounded: a tool call has five chunks at most, and they are stored with the message anyway.
    ready: SimpleQueue[Chunk | gevent.Greenlet] = SimpleQueue()

    def work() -> None:
        for generator in waiting:
            for chunk in generator:
                ready.put(chunk)

    # An error is raised below; nothing else shall report it as one that nobody has caught.
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
