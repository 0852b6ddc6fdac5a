"""A browser and a running service for this folder, and a signed-in person for each test."""

import os
import shutil
from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Browser, sync_playwright

from service.auth.tokens import issue
from tests.browser.page import Console, Opened
from tests.browser.suite import Connections, forget
from tests.services import Service, require, settings_for

people = count(1)
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


# Of the package, not of the session: Playwright keeps an event loop running in this thread.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    require(chromium, "chromium")
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=root)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def running(databases) -> Iterator[Service]:
    service = Service(databases.make("sqlite"))
    try:
        yield service.start()
    finally:
        service.remove()


@pytest.fixture
def opened(browser, running) -> Iterator[Opened]:
    """Opens a console of a new person, or one more of a person; no page may have complained."""
    consoles: list[Console] = []

    def open_one(like: Console | None = None, **options) -> Console:
        subject = like.subject if like else f"person-{next(people)}"
        token = issue(settings_for(running.database_url), subject, "user", 3600)
        look = {"locale": "en-GB", "timezone_id": "UTC", "viewport": {"width": 1280, "height": 800}}
        page = browser.new_context(**{**look, **options}).new_page()
        page.set_default_timeout(8_000)
        consoles.append(Console(page, running, token, subject))
        return consoles[-1]

    yield open_one
    complaints = [line for console in consoles for line in console.unexpected]
    for console in consoles:
        console.page.context.close()
    assert complaints == []


@pytest.fixture
def console(opened) -> Console:
    return opened().sign_in()


@pytest.fixture
def connections(opened) -> Connections:
    """The connections page of a new person; at the suite, nothing is allowed yet."""
    console = opened().sign_in()
    forget(console)
    return Connections(console).show()
