"""Limit how many pages a worker reads at once, for one user and for all.

A page, or a snapshot of a socket, takes a database connection and up to 8 MiB of memory until it is
complete; a search, or a sum over many rows, takes a connection for seconds. Further requests wait
without either, so that connections and memory remain for other users, and connections for turns,
calls and short reads. They do not wait for long, because the database may be unavailable.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from weakref import WeakKeyDictionary, WeakValueDictionary

from gevent.lock import BoundedSemaphore
from sqlalchemy import Engine

from service.extensions import db
from service.web.errors import Unavailable

PAGES_AT_ONCE = 4  # of one user
LEFT_BY_PAGES = 3  # connections for other requests, if the pool has more
WAIT_SECONDS = 5.0  # for each of the two limits
TOO_MANY = "Too many of your pages are being read. Please try again."
BUSY = "Too many pages are being read. Please try again."

_of_users: WeakValueDictionary[str, BoundedSemaphore] = WeakValueDictionary()
_of_databases: WeakKeyDictionary[Engine, BoundedSemaphore] = WeakKeyDictionary()


@contextmanager
def page_turn(user_id: str) -> Iterator[None]:
    """Wait until fewer pages are being read: first of the user, then of all users of this worker.

    Needs an app context. Raises `Unavailable`.
    """
    with _turn(of_user(user_id), TOO_MANY), worker_turn():
        yield


def worker_turn() -> AbstractContextManager[None]:
    """Wait until fewer pages are being read of all users of this worker.

    For the snapshots of sockets, of which a user has only one at a time. Needs an app context.
    Raises `Unavailable`.
    """
    return _turn(of_all(), BUSY)


def of_user(user_id: str) -> BoundedSemaphore:
    """Return the semaphore of one user's pages."""
    turns = _of_users.get(user_id)
    if turns is None:
        turns = _of_users[user_id] = BoundedSemaphore(PAGES_AT_ONCE)
    return turns


def of_all() -> BoundedSemaphore:
    """Return the semaphore of the pages that are read from the app's database."""
    turns = _of_databases.get(db.engine)
    if turns is None:
        size = db.engine.pool.size()  # type: ignore[attr-defined]
        turns = _of_databases[db.engine] = BoundedSemaphore(max(1, size - LEFT_BY_PAGES))
    return turns


@contextmanager
def _turn(turns: BoundedSemaphore, problem: str) -> Iterator[None]:
    if not turns.acquire(timeout=WAIT_SECONDS):
        raise Unavailable(problem)
    try:
        yield
    finally:
        turns.release()
