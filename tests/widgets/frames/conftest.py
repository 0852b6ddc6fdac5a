"""A browser with a page that hosts widgets, for each test a fresh one."""

from collections.abc import Iterator

import pytest

from tests.browser.conftest import browser, tabs
from tests.widgets.frames.canvas import Canvas
from tests.widgets.frames.server import WidgetServer

__all__ = ["browser", "canvas", "tabs", "widget_server"]


@pytest.fixture(scope="package")
def widget_server() -> Iterator[WidgetServer]:
    server = WidgetServer()
    yield server
    server.stop()


@pytest.fixture
def canvas(tabs, widget_server) -> Iterator[Canvas]:
    """The host's page; no frame of it and no module may log an error."""
    widget_server.forget()
    opened = Canvas(tabs.take(own=True), widget_server)
    yield opened.open()
    errors = opened.unexpected
    opened.page.context.close()
    assert errors == []
