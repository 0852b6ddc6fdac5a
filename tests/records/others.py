"""How often others run while something is done."""

from contextlib import contextmanager

import gevent

from service.lifecycle import let_others_run


@contextmanager
def turns():
    """What another greenlet gets meanwhile: an entry for each time."""
    taken = []

    def take():
        while True:
            taken.append(1)
            let_others_run()

    other = gevent.spawn(take)
    yield taken
    other.kill()
