"""Count how often other greenlets run during a piece of work."""

from contextlib import contextmanager

import gevent

from service.fairness import let_others_run


@contextmanager
def count_greenlet_turns():
    """Yield a list that gets an entry each time another greenlet runs."""
    log = []

    def take():
        while True:
            log.append(1)
            let_others_run()

    other = gevent.spawn(take)
    try:
        yield log
    finally:
        other.kill()
