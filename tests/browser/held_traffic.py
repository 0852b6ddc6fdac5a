"""Requests of a page, and messages of the server on its socket, that a test holds back."""

from typing import Any

from playwright.sync_api import Page, Route, WebSocketRoute

from tests.browser.page import Console, Opened
from tests.services import wait_for


def first_of(held: list[Route], page: Page) -> Route:
    """The first one, once the browser has made it, and Playwright has called the route.

    `expect_request` does not wait for the route, and a button that rests has not sent yet.
    """
    wait_for(lambda: held or page.wait_for_timeout(10))
    return held[0]


class HeldSocket:
    """What the server says on the socket is kept back until a test lets it through."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.messages: list[Any] = []
        page.route_web_socket("**/api/records/socket", self._open)

    def _open(self, socket: WebSocketRoute) -> None:
        self.socket = socket
        self.server = socket.connect_to_server()
        self.server.on_message(lambda message: self.messages.append(message))

    def wait(self) -> None:
        """Until the server has sent the first page of chats."""
        while not any("snapshot" in message for message in self.messages):
            self.page.wait_for_timeout(20)

    def let_go(self) -> None:
        for message in self.messages:
            self.socket.send(message)
        self.server.on_message(lambda message: self.socket.send(message))


def signed_in_behind(opened: Opened) -> tuple[Console, HeldSocket]:
    """A new person's console whose socket is held back, once the first page of chats has come."""
    console = opened(sockets=True)
    held = HeldSocket(console.page)
    console.sign_in()
    held.wait()
    return console, held
