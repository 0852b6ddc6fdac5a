"""The connections page and the sandbox's office suite beside it, as a person uses the two."""

import sqlite3
from contextlib import closing
from typing import Any

from playwright.sync_api import Locator, Page, expect
from sqlalchemy.engine import make_url

from tests.browser.page import Console

SUITE = "/sandbox/cloudsuite"
ADA = "ada@suite.invalid"


class Connections:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.page = console.page

    # The page

    def show(self) -> "Connections":
        self.console.show_view("Connections")
        expect(self.card("Files")).to_be_visible()
        return self

    def account(self, title: str) -> Locator:
        return self.page.get_by_role("region", name=title)

    def card(self, title: str) -> Locator:
        heading = self.page.get_by_role("heading", name=title, exact=True)
        return self.page.locator("li.connection", has=heading)

    def is_granted(self, title: str) -> None:
        expect(self.card(title).locator(".connection-state")).to_have_text("Granted")

    def is_open(self, title: str) -> None:
        expect(self.card(title).locator(".connection-state")).to_have_text("Not granted")

    def says(self, title: str, text: str) -> None:
        expect(self.card(title).locator(".connection-messages")).to_contain_text(text)

    def lines(self, title: str) -> Locator:
        return self.card(title).locator(".preview li")

    def try_it(self, title: str) -> None:
        self.console.button(f"Try it: {title}").click()

    @property
    def flags(self) -> set[str]:
        """The flags that the service reports as set."""
        status = self.console.api("GET", "integrations/status")["cloudsuite"]
        return {name for name, value in status.items() if value is True}

    # The window

    def ask(self, title: str, button: str = "Connect") -> Page:
        """Press the card's button; returns the window when it shows the consent page."""
        with self.page.expect_popup() as opened:
            self.console.button(f"{button}: {title}").click()
        expect(opened.value.get_by_role("button", name="Allow")).to_be_visible()
        return opened.value

    def connect(self, title: str, button: str = "Connect") -> None:
        """Ask, allow, and wait until the window has closed."""
        allow(self.ask(title, button))
        self.is_granted(title)

    # The suite and the clock

    def switch(self, name: str) -> None:
        """Press one of the suite's switches in a new window."""
        page = self.page.context.new_page()
        page.goto(self.console.service.url + SUITE)
        with page.expect_navigation():  # a page that is closed too soon may not have sent its form
            page.get_by_role("button", name=name).first.click()
        page.close()

    def an_hour_passes(self) -> None:
        """Let the access token that the service has stored expire."""
        file = make_url(self.console.service.database_url).database
        assert file
        with closing(sqlite3.connect(file, timeout=10)) as database, database:
            past = "update grants set expires_at = '2020-01-01 00:00:00' where user_id = ?"
            assert database.execute(past, [self.console.subject]).rowcount == 1


def allow(popup: Page, untick: bool = False) -> None:
    """Press Allow and wait until the window has closed itself."""
    if untick:
        popup.get_by_role("checkbox").uncheck()
    with popup.expect_event("close"):
        popup.get_by_role("button", name="Allow").click()


def forget(console: Console) -> None:
    """Revoke what earlier tests have allowed: all tests share the suite's accounts."""
    form: dict[str, Any] = {"account": "ada", "switch": "revoke"}
    url = console.service.url + SUITE
    # The server may close a connection that is kept from before, just when it is used again.
    answer = console.page.request.post(url, form=form, max_retries=3)
    assert answer.ok, answer.text()
