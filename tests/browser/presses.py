"""Presses of the mouse at moments that the test gives, however late a busy machine makes them."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page

PAUSE = 0.1  # seconds between the two presses of a double click
NOW = "(performance.timeOrigin + performance.now()) / 1000"


def now(page: Page) -> float:
    """The page's time, in seconds since 1970."""
    return page.evaluate(NOW)


def press_at(page: Page, x: float, y: float, moment: float, count: int = 1) -> None:
    """Click at a point of the page. `Event.timeStamp` tells the moment, in seconds since 1970."""
    session = page.context.new_cdp_session(page)
    press = {"x": x, "y": y, "button": "left", "clickCount": count, "timestamp": moment}
    for kind in ("mousePressed", "mouseReleased"):
        session.send("Input.dispatchMouseEvent", {"type": kind, **press})
    session.detach()


@contextmanager
def double_click(button: Locator) -> Iterator[None]:
    """The body waits for what the first press does; a busy page may take long for it."""
    button.hover()
    box = button.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    first = now(button.page)
    press_at(button.page, x, y, first)
    yield
    press_at(button.page, x, y, first + PAUSE, count=2)
