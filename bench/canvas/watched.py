"""A browser and a page of the console, and what they tell of their work and their memory."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Frame, Page, sync_playwright

from bench.canvas import page as canvas_page
from bench.canvas import relays
from tests.browser import chromium
from tests.browser.page import Console

FRAMES = 120  # drawn in one drag
MEGABYTE = 1e6
RESTORE_SECONDS = 180  # until all frames are there
WATCH = f"({canvas_page.WATCH})({json.dumps([relays.WIDGETS, relays.CONNECTIONS])})"


@contextmanager
def opened() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield browser
        browser.close()


class Watched:
    """A signed-in page, and what the browser tells of it."""

    def __init__(self, browser: Browser, console: Console) -> None:
        self.browser = browser
        self.console = console
        self.page: Page = console.page
        self.session: CDPSession = self.page.context.new_cdp_session(self.page)
        self.session.send("Performance.enable")
        self.idle_memory = self.memory()

    def metric(self, name: str) -> float:
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == name)

    def heap(self) -> float:
        self.session.send("HeapProfiler.collectGarbage")
        return self.metric("JSHeapUsedSize") / MEGABYTE

    def memory(self) -> float:
        """MB of all processes; pages that several share are counted once."""
        found = self.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
        return sum(_proportional(each["id"]) for each in found["processInfo"])

    def memory_per_frame(self) -> float:
        return (self.memory() - self.idle_memory) / relays.WIDGETS

    def drag(self, selector: str) -> tuple[float, float]:
        """Frames a second, and the main thread's ms for each."""
        before = self.metric("TaskDuration")
        rate = self.page.evaluate(canvas_page.DRAG, [selector, FRAMES])
        return rate, (self.metric("TaskDuration") - before) * 1000 / FRAMES

    def begin(self, code: str, argument: Any) -> None:
        """Start what the page does while a frame does something; `end` returns its result."""
        self.page.evaluate(f"(argument) => {{ self.pending = ({code})(argument); }}", argument)

    def end(self) -> float:
        return self.page.evaluate("() => self.pending")

    def frame(self, selector: str) -> Frame:
        frame = self.page.locator(selector).first.element_handle().content_frame()
        assert frame
        return frame

    def seen(self) -> dict[str, float]:
        """When the canvas was there, as soon as it is."""
        deadline = time.monotonic() + RESTORE_SECONDS
        while time.monotonic() < deadline:
            seen = self.page.evaluate(canvas_page.SEEN)
            if seen["painted"] and seen["greeted"]:
                return seen
            time.sleep(0.1)
        raise RuntimeError(f"the canvas is not there: {seen}")


def _proportional(pid: int) -> float:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    line = next(line for line in text.splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) * 1024 / MEGABYTE
