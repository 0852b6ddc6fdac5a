"""Call a function at regular intervals from the event loop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gevent import get_hub


@contextmanager
def polling(seconds: float, look: Callable[[], None]) -> Iterator[None]:
    """Call `look` every `seconds` in this context. It must neither wait nor raise.

    No greenlet wakes for a call. To wake one takes twice as long as a look at SQLite's file, and a
    worker that follows the feed looks fifty times a second.
    """
    timer = get_hub().loop.timer(seconds, seconds)
    timer.start(look)
    try:
        yield
    finally:
        timer.stop()
        timer.close()
