"""How many pages of one user a worker reads at once.

A page takes a connection to the database and up to 8 MiB until it is whole. Others wait without
either, so that one user's requests leave connections and memory for all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from gevent.lock import BoundedSemaphore

AT_ONCE = 4  # of one user

_of_users: WeakValueDictionary[str, BoundedSemaphore] = WeakValueDictionary()


@contextmanager
def page_turn(user_id: str) -> Iterator[None]:
    """Wait until fewer pages of the user are read."""
    free = _of_users.get(user_id)
    if free is None:
        free = _of_users[user_id] = BoundedSemaphore(AT_ONCE)
    with free:
        yield
