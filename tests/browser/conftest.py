"""A browser and a running service for these tests, and a signed-in person for each test."""

import selectors
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser import chromium
from tests.browser.console_opening import opening
from tests.browser.office_suite import Connections, forget
from tests.browser.page import Console, Opened
from tests.browser.tabs import Tabs
from tests.services import Service, require


# Of the package, not of the session: Playwright keeps an event loop running in this thread.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    require(chromium.find(), " or ".join(chromium.PROGRAMS))
    with pytest.MonkeyPatch.context() as patch:
        # gevent's own selector watches also while nobody asks it. A sleep of this thread would then
        # take all of a processor, from Playwright's first event that is not read.
        patch.setattr(selectors, "DefaultSelector", selectors.PollSelector)
        playwright = sync_playwright().start()
    launched = chromium.launch(playwright)
    yield launched
    launched.close()
    playwright.stop()


@pytest.fixture(scope="package")
def tabs(browser) -> Tabs:
    return Tabs(browser)


@pytest.fixture(scope="package")
def running(databases) -> Iterator[Service]:
    with Service(databases.make("sqlite"), EXTENSIONS="tests.browser.fast_service") as service:
        yield service.start()


@pytest.fixture
def opened(tabs, running) -> Iterator[Opened]:
    """Opens a console for a new person, or another one for `like`; no page may log an error."""
    with opening(tabs, running) as open_one:
        yield open_one


@pytest.fixture
def console(opened) -> Console:
    return opened().sign_in()


@pytest.fixture
def connections(opened) -> Connections:
    """The connections page of a new person, who has allowed nothing at the suite."""
    console = opened().sign_in()
    forget(console)
    return Connections(console).show()
