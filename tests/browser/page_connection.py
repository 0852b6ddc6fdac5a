"""The connection between a page and its server."""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page, Route


@dataclass
class Line:
    """The connection from a page to the server, which a test can cut."""

    page: Page
    up: bool = True
    tries: int = 0
    sockets: list[Any] = field(default_factory=list)

    def install(self) -> None:
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

    def fail_for_long(self) -> None:
        """Fail so many attempts that the next timer is too late for the test."""
        while self.tries < 7:
            self.page.wait_for_timeout(50)
            self.page.evaluate("window.dispatchEvent(new Event('online'))")
