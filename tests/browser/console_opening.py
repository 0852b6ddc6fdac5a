"""Opening the console of a running service for new people."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from playwright.sync_api import Page

from service.auth.tokens import issue
from tests.browser.page import Console, Opened
from tests.browser.tabs import Tabs, new_page
from tests.services import Service, settings_for

people = count(1)


@contextmanager
def opening(tabs: Tabs, service: Service) -> Iterator[Opened]:
    """A function that opens a console for a new person, or for that of `like`.

    With `beside` it is in the browser context of that console: it has the files that the other one
    has loaded, and its errors are those of both. At the end no page may have logged an error that
    its test did not expect.
    """
    consoles: list[Console] = []
    taken: list[Page] = []

    def open_one(
        like: Console | None = None, role: str = "user", beside: Console | None = None, **options
    ) -> Console:
        subject = like.subject if like else f"person-{next(people)}"
        token = issue(settings_for(service.database_url), subject, role, 3600)
        page = new_page(beside.page.context) if beside else tabs.take(**options)
        if not beside:
            taken.append(page)
        consoles.append(Console(page, service, token, subject))
        return consoles[-1]

    yield open_one
    errors = [line for console in consoles for line in console.leave()]
    for page in taken:
        tabs.give_back(page, service.url, keep=not errors)
    assert not errors, "\n".join(errors)
