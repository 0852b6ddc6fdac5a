"""The server goes away and comes back: what was said of it goes with the outage."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

AWAY = "can’t be reached"


@dataclass
class Line:
    """The way from a page to the server, which can be cut."""

    page: Page
    up: bool = True
    tries: int = 0
    sockets: list[Any] = field(default_factory=list)

    def lay(self) -> None:
        self.page.route_web_socket("**/api/records/socket", self._socket)
        self.page.route("**/api/**", self._request)

    def _socket(self, socket: Any) -> None:
        self.tries += 1
        if not self.up:
            socket.close()
            return
        self.sockets.append(socket)
        socket.connect_to_server()

    def _request(self, route: Route) -> None:
        route.continue_() if self.up else route.abort()

    def cut(self) -> None:
        self.up = False
        for socket in self.sockets:
            socket.close(code=1001)

    def is_given_up_for_long(self) -> None:
        """The page has tried in vain so often that its timer is of no help to a test."""
        while self.tries < 5:
            self.page.wait_for_timeout(50)
            self.page.evaluate("window.dispatchEvent(new Event('online'))")


@pytest.fixture
def line(opened):
    console = opened()
    console.may_say("WebSocket|ERR_FAILED")
    line = Line(console.page)
    line.lay()
    console.sign_in()
    expect(live(console)).to_have_text("Live")
    return console, line


def live(console):
    return console.page.locator(".live-word")


def test_what_was_said_of_an_outage_goes_with_it(line):
    console, line = line
    line.cut()
    expect(live(console)).to_have_text("Not live")
    console.button("Reload lists").click()
    said = console.page.get_by_text(AWAY)
    expect(said).to_have_count(3)  # chats, tasks, notes
    amount = console.page.locator(".credits .amount")
    expect(amount).to_have_text("–")
    line.up = True
    expect(live(console)).to_have_text("Live")
    expect(said).to_have_count(0)
    expect(amount).to_have_text("1,000")


def test_an_act_that_was_refused_stays_said(line):
    console, line = line
    console.new_chat("The plan")
    console.chats.first.hover()
    line.cut()
    expect(live(console)).to_have_text("Not live")
    console.page.get_by_role("button", name="Delete The plan").click()
    line.up = True
    body = {"error": "unavailable", "message": "The database is away."}
    console.page.route("**/api/ai/chats/*", lambda route: route.fulfill(status=409, json=body))
    console.may_say("409")
    console.button("Delete").click()
    expect(live(console)).to_have_text("Live")
    expect(console.page.locator(".chats-pane [role=alert]")).to_have_text("The database is away.")


@pytest.mark.parametrize("sign", ["an answer", "a look"])
def test_whoever_comes_back_waits_for_no_timer(line, sign):
    console, line = line
    line.cut()
    line.is_given_up_for_long()
    line.up = True
    if sign == "an answer":
        console.send("count to 3")
    else:
        console.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(live(console)).to_have_text("Live", timeout=4_000)
