"""A page with widgets, as its tests see it: what the frames say, hear and show."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Error, Frame, Locator, expect

from tests.browser.page import found_by_axe
from tests.browser.watched_page import WatchedPage
from tests.services import wait_for
from tests.widgets.frames.server import WidgetServer


@dataclass
class Canvas(WatchedPage):
    server: WidgetServer

    def open(self) -> "Canvas":
        self.page.goto(f"{self.server.url}/host")
        expect(self.page.locator("body[data-ready]")).to_be_attached()
        return self

    # What the host's page does

    def run(self, code: str, argument: Any = None) -> Any:
        """`code` is a function of JavaScript; `canvas` is the page's own object."""
        return self.page.evaluate(code, argument)

    def mount(self, widget_id: str, handle: str = "speaker", **more: Any) -> "Widget":
        self.run(
            "([id, handle, more]) => canvas.mount(id, handle, more)", [widget_id, handle, more]
        )
        widget = Widget(self, widget_id)
        if handle == "speaker":
            widget.is_welcome()
        return widget

    def connect(self, start: tuple[str, str], end: tuple[str, str]) -> str:
        """Returns the id of the connection."""
        return self.run("(ends) => canvas.connect(...ends).id", [start, end])

    def drops(self, widget_id: str) -> dict[str, int]:
        return self.run("(id) => canvas.host.drops(id)", widget_id)

    def events(self, kind: str) -> list[dict[str, Any]]:
        return self.run("(kind) => canvas.events.filter(({ type }) => type === kind)", kind)

    @property
    def calls(self) -> list[Any]:
        return self.server.calls

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def press(self, name: str) -> None:
        """Press a button of the dialog once it can be pressed."""
        button = self.dialog.get_by_role("button", name=name, exact=True)
        expect(button).to_have_attribute("aria-disabled", "false")
        button.click()

    def violations(self) -> list[str]:
        return found_by_axe([self.page], self.page, iframes=False)


@dataclass
class Widget:
    canvas: Canvas
    id: str

    @property
    def box(self) -> Locator:
        return self.canvas.page.locator(f'.widget-box[data-widget-id="{self.id}"]')

    @property
    def notice(self) -> Locator:
        return self.box.get_by_role("status")

    @property
    def frame(self) -> Frame:
        handle = self.box.locator("iframe").element_handle()
        frame = handle.content_frame()
        assert frame
        return frame

    def run(self, code: str, argument: Any = None) -> Any:
        return self.frame.evaluate(code, argument)

    def leave(self, code: str) -> None:
        """Run code that loads another document, and wait until the old one is gone."""
        self.run("(code) => { globalThis.old = true; }")
        self.run(code)
        wait_for(self._has_left)

    def _has_left(self) -> bool:
        try:
            return not self.frame.evaluate("() => globalThis.old")
        except Error:  # it is just leaving
            return False

    def is_welcome(self) -> None:
        wait_for(lambda: self.run("() => Boolean(globalThis.page?.port)"))

    def say(self, message: Any) -> None:
        self.run("(message) => page.say(message)", message)

    def tell(self, message: dict[str, Any]) -> None:
        self.run("(message) => page.tell(message)", message)

    def output(self, slot_id: str, value: Any) -> None:
        self.run("([slot, value]) => page.output(slot, value)", [slot_id, value])

    def inputs(self) -> list[Any]:
        """The values that have arrived at inputs."""
        return [each["value"] for each in self.run("() => page.inputs()")]

    def hears(self, *values: Any) -> None:
        """These values arrive, no more and no less."""
        wait_for(lambda: len(self.inputs()) >= len(values))
        assert self.inputs() == list(values)

    def ask(self, endpoint: str, request_id: str = "r", **more: Any) -> None:
        message = {"type": "widget-api-request", "requestId": request_id, "method": "POST"}
        self.tell({**message, "endpoint": endpoint, "body": {}, **more})

    def answers(self, kind: str) -> list[dict[str, Any]]:
        return self.run("(kind) => page.answers.filter(({ type }) => type === kind)", kind)

    def answer(self, kind: str = "widget-api-response") -> dict[str, Any]:
        """The first message of this kind on the port."""
        wait_for(lambda: self.answers(kind))
        return self.answers(kind)[0]
