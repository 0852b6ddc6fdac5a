"""Opening the console of a running service for new people."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from service.auth.tokens import issue
from tests.browser.page import Console, Opened
from tests.browser.tabs import Tabs
from tests.services import Service, settings_for

people = count(1)


@contextmanager
def opening(tabs: Tabs, service: Service) -> Iterator[Opened]:
    """A function that opens a console for a new person, or for that of `like`.

    At the end no page may have logged an error that its test did not expect.
    """
    consoles: list[Console] = []

    def open_one(like: Console | None = None, role: str = "user", **options) -> Console:
        subject = like.subject if like else f"person-{next(people)}"
        token = issue(settings_for(service.database_url), subject, role, 3600)
        consoles.append(Console(tabs.take(**options), service, token, subject))
        return consoles[-1]

    yield open_one
    errors = [line for console in consoles for line in console.leave()]
    for console in consoles:
        tabs.give_back(console.page, service.url, keep=not errors)
    assert not errors, "\n".join(errors)
