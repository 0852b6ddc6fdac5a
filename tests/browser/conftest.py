"""A browser and a running service for these tests, and a signed-in person for each test."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from playwright.sync_api import Browser, sync_playwright

from service.auth.tokens import issue
from tests.browser import chromium
from tests.browser.page import Console, Opened
from tests.browser.suite import Connections, forget
from tests.browser.tabs import Tabs
from tests.services import Service, require, settings_for

people = count(1)


# Of the package, not of the session: Playwright keeps an event loop running in this thread.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    require(chromium.find(), " or ".join(chromium.PROGRAMS))
    with sync_playwright() as playwright:
        launched = chromium.launch(playwright)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def tabs(browser) -> Tabs:
    return Tabs(browser)


@pytest.fixture(scope="module", autouse=True)
def first_load(tabs) -> Iterator[None]:
    """The first test of each module loads the console."""
    yield
    tabs.leave()


@pytest.fixture(scope="package")
def running(databases) -> Iterator[Service]:
    service = Service(databases.make("sqlite"), EXTENSIONS="tests.browser.fresh_files")
    try:
        yield service.start()
    finally:
        service.remove()


@pytest.fixture
def opened(tabs, running) -> Iterator[Opened]:
    """Opens a console for a new person, or another one for `like`; no page may log an error."""
    with opening(tabs, running) as open_one:
        yield open_one


@contextmanager
def opening(tabs: Tabs, service: Service) -> Iterator[Opened]:
    consoles: list[Console] = []

    def open_one(like: Console | None = None, role: str = "user", **options) -> Console:
        subject = like.subject if like else f"person-{next(people)}"
        token = issue(settings_for(service.database_url), subject, role, 3600)
        consoles.append(Console(tabs.take(**options), service, token, subject))
        return consoles[-1]

    yield open_one
    errors = [line for console in consoles for line in console.leave()]
    for console in consoles:
        # After an error that a test expects, another one may come late.
        tabs.give_back(console.page, service.url, keep=not (errors or console.expected))
    assert errors == []


@pytest.fixture
def console(opened) -> Console:
    return opened().sign_in()


@pytest.fixture
def connections(opened) -> Connections:
    """The connections page of a new person, who has allowed nothing at the suite."""
    console = opened().sign_in()
    forget(console)
    return Connections(console).show()
