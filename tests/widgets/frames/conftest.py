"""A browser with a page that hosts widgets, which is loaded for each test."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.browser.conftest import browser, tabs
from tests.browser.tabs import Tabs
from tests.widgets.frames.canvas import Canvas
from tests.widgets.frames.server import WidgetServer

__all__ = ["browser", "canvas", "own_canvas", "tabs", "widget_server"]


@pytest.fixture(scope="package")
def widget_server() -> Iterator[WidgetServer]:
    server = WidgetServer()
    yield server
    server.stop()


@pytest.fixture
def canvas(tabs, widget_server) -> Iterator[Canvas]:
    """The host's page, loaded again on a page that other tests have used."""
    with opening(tabs, widget_server) as opened:
        yield opened


@pytest.fixture
def own_canvas(tabs, widget_server) -> Iterator[Canvas]:
    """The same on a page that no other test uses, for what can't be taken back, as a clock."""
    with opening(tabs, widget_server, alone=True) as opened:
        yield opened


@contextmanager
def opening(tabs: Tabs, server: WidgetServer, alone: bool = False) -> Iterator[Canvas]:
    """No frame of the page and no module may log an error."""
    server.forget()
    opened = Canvas(tabs.take(alone=alone), server)
    yield opened.open()
    errors = opened.leave()
    tabs.give_back(opened.page, server.url)
    assert errors == []
