"""The connections page and the sandbox's office suite beside it, as a person uses the two."""

import sqlite3
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
        self.page.context.on("page", self._watch)

    def _watch(self, popup: Page) -> None:
        """What goes wrong in the other windows counts as well."""
        popup.set_default_timeout(8_000)
        popup.on("pageerror", lambda error: self.console.errors.append(f"thrown: {error}"))
        popup.on("console", self.console._note)

    # The page

    def show(self) -> "Connections":
        self.page.get_by_role("navigation", name="Views").get_by_text("Connections").click()
        expect(self.card("Files")).to_be_visible()
        return self

    def card(self, title: str) -> Locator:
        heading = self.page.get_by_role("heading", name=title, exact=True)
        return self.page.locator("li.connection", has=heading)

    def is_granted(self, title: str) -> None:
        expect(self.card(title).locator(".connection-state")).to_have_text("Granted")

    def is_open(self, title: str) -> None:
        expect(self.card(title).locator(".connection-state")).to_have_text("Not granted")

    def says(self, title: str, text: str) -> None:
        expect(self.card(title).locator(".connection-told")).to_contain_text(text)

    def lines(self, title: str) -> Locator:
        return self.card(title).locator(".preview li")

    def try_it(self, title: str) -> None:
        self.console.button(f"Try it: {title}").click()

    @property
    def flags(self) -> set[str]:
        """Those that are lit, as the service says."""
        status = self.console.api("GET", "integrations/status")["cloudsuite"]
        return {name for name, value in status.items() if value is True}

    # The window

    def ask(self, title: str, button: str = "Connect") -> Page:
        """Press the card's button; the window, once the consent page is in it."""
        with self.page.expect_popup() as opened:
            self.console.button(f"{button}: {title}").click()
        expect(opened.value.get_by_role("button", name="Allow")).to_be_visible()
        return opened.value

    def connect(self, title: str, button: str = "Connect") -> None:
        """The whole way: ask, allow, and the window is gone."""
        allow(self.ask(title, button))
        self.is_granted(title)

    # The suite and the clock

    def switch(self, name: str) -> None:
        """One of the suite's switches, pressed in a window of its own."""
        page = self.page.context.new_page()
        page.goto(self.console.service.url + SUITE)
        with page.expect_navigation():  # a page that is closed too soon may not have sent its form
            page.get_by_role("button", name=name).first.click()
        page.close()

    def an_hour_passes(self) -> None:
        """For the service: the access token that it holds is over."""
        file = make_url(self.console.service.database_url).database
        assert file
        with sqlite3.connect(file, timeout=10) as database:
            past = "update grants set expires_at = '2020-01-01 00:00:00' where user_id = ?"
            assert database.execute(past, [self.console.subject]).rowcount == 1


def allow(popup: Page, untick: bool = False) -> None:
    """Allow; back when the window has closed itself."""
    if untick:
        popup.get_by_role("checkbox").uncheck()
    with popup.expect_event("close"):
        popup.get_by_role("button", name="Allow").click()


def forget(console: Console) -> None:
    """The suite's accounts are everybody's: what earlier tests have allowed is revoked."""
    form: dict[str, Any] = {"account": "ada", "switch": "revoke"}
    answer = console.page.request.post(console.service.url + SUITE, form=form)
    assert answer.ok, answer.text()
