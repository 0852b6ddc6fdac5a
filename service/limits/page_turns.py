"""How many pages of one user a worker reads at once.

A page takes a connection to the database and up to 8 MiB until it is whole; a search, or a sum over
many rows, takes one for seconds. Others wait without either, so that one user's requests leave
connections and memory for all. They do not wait for long: the database may be away.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from gevent.lock import BoundedSemaphore

from service.web.errors import Unavailable

AT_ONCE = 4  # of one user
WAIT_SECONDS = 5.0
TOO_MANY = "Too many of your pages are being read. Please try again."

_of_users: WeakValueDictionary[str, BoundedSemaphore] = WeakValueDictionary()


@contextmanager
def page_turn(user_id: str) -> Iterator[None]:
    """Wait until fewer pages of the user are read. Raises `Unavailable`."""
    free = _of_users.get(user_id)
    if free is None:
        free = _of_users[user_id] = BoundedSemaphore(AT_ONCE)
    if not free.acquire(timeout=WAIT_SECONDS):
        raise Unavailable(TOO_MANY)
    try:
        yield
    finally:
        free.release()
