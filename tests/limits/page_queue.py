"""Requests for pages of a user, of whom a worker already reads as many pages as it may."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from service.limits import page_turns


@contextmanager
def as_many_pages_as_allowed(user: str) -> Iterator[None]:
    """Take all of the user's turns to read a page."""
    with ExitStack() as taken:
        for _ in range(page_turns.PAGES_AT_ONCE):
            taken.enter_context(page_turns.page_turn(user))
        yield


def is_queued(user: str) -> bool:
    """Whether a request of the user waits for its turn."""
    return page_turns._of_users[user].linkcount() > 0
