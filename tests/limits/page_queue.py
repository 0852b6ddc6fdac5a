"""Requests for pages while a worker already reads as many pages as it may."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from flask import Flask
from gevent.lock import BoundedSemaphore

from service.limits import page_turns


@contextmanager
def as_many_pages_as_allowed(user: str) -> Iterator[None]:
    """Take all of the user's turns to read a page."""
    with ExitStack() as taken:
        for _ in range(page_turns.PAGES_AT_ONCE):
            taken.enter_context(page_turns.of_user(user))
        yield


@contextmanager
def all_pages_of_a_worker(app: Flask) -> Iterator[BoundedSemaphore]:
    """Take all turns of an app to read a page, as other users would. Yields their semaphore."""
    with app.app_context():
        turns = page_turns.of_all()
    with ExitStack() as taken:
        for _ in range(turns.counter):
            taken.enter_context(turns)
        yield turns


def is_queued(user: str) -> bool:
    """Whether a request of the user waits for its turn."""
    return page_turns.of_user(user).linkcount() > 0
