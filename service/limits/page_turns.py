"""Limit how many pages of one user a worker reads at once.

A page takes a database connection and up to 8 MiB of memory until it is complete; a search, or a
sum over many rows, takes a connection for seconds. Further requests wait without either, so that
connections and memory remain for other users. They do not wait for long, because the database may
be unavailable.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from gevent.lock import BoundedSemaphore

from service.web.errors import Unavailable

PAGES_AT_ONCE = 4  # of one user
WAIT_SECONDS = 5.0
TOO_MANY = "Too many of your pages are being read. Please try again."

_of_users: WeakValueDictionary[str, BoundedSemaphore] = WeakValueDictionary()


@contextmanager
def page_turn(user_id: str) -> Iterator[None]:
    """Wait until fewer pages of the user are being read. Raises `Unavailable`."""
    free = _of_users.get(user_id)
    if free is None:
        free = _of_users[user_id] = BoundedSemaphore(PAGES_AT_ONCE)
    if not free.acquire(timeout=WAIT_SECONDS):
        raise Unavailable(TOO_MANY)
    try:
        yield
    finally:
        free.release()
