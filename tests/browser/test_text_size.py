"""Text of twice the usual size, as people set it in their browser, without zoom."""

import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.canvas import Canvas
from tests.browser.console_opening import opening
from tests.browser.tabs import Tabs
from tests.browser.view_list import VIEWS

TWICE = "--blink-settings=defaultFontSize=32"
WIDTHS = (1280, 390)
# What lies across the right edge of the page, and no scrolled or cut box around it does.
BEYOND = """() => [...document.querySelectorAll('header *, main button, main input, main h2, main h3')]
  .filter((node) => node.checkVisibility() && !node.closest('.canvas, .data-table, .table-box, .visually-hidden'))
  .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
  .map((node) => node.outerHTML.slice(0, 120))"""  # noqa: E501
# The parts of a header whose text is cut, or that lie beyond its edges.
CUT = """(header) => [...header.querySelectorAll('a, button, span')]
  .filter((node) => node.checkVisibility() && !node.matches('.live-word'))
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== 'inline'
    || node.getBoundingClientRect().bottom > header.getBoundingClientRect().bottom
    || node.getBoundingClientRect().right > innerWidth)
  .map((node) => node.outerHTML.slice(0, 120))"""  # noqa: E501


@pytest.fixture
def opened_large(browser, running):
    large = browser.browser_type.launch(
        executable_path=chromium.find(), args=[*chromium.arguments(), TWICE]
    )
    with opening(Tabs(large), running) as open_one:
        yield open_one
    large.close()


def test_every_page_has_the_text_size_of_the_browser_and_fits(opened_large):
    console = opened_large(role="admin").sign_in()
    console.api("POST", "records/tasks", {"title": "Water the plants"})
    console.ask("What is the weather in Berlin?")
    Canvas(console).put("Note", "Mail", lines=[("note.text", "mail.text")])
    for width in WIDTHS:
        console.page.set_viewport_size({"width": width, "height": 800})
        for view, part in (VIEWS | {"data": ".collection-link"}).items():
            console.open(f"/#/{view}")
            expect(console.page.locator(part).first).to_be_attached()
            assert console.width() <= width, view
            assert console.page.evaluate(BEYOND) == [], (view, width)
    body = "getComputedStyle(document.body).fontSize"
    assert console.page.evaluate(body) == "28px"


def test_a_header_whose_text_alone_is_enlarged_takes_several_lines_and_cuts_nothing(opened):
    """Of a style of the user, which moves no condition of a layout."""
    console = opened(role="admin").sign_in()
    expect(console.page.get_by_role("link", name="Admin")).to_be_visible()
    console.page.evaluate("document.documentElement.style.fontSize = '200%'")
    header = console.page.locator(".top")
    expect(console.page.locator(".suggestion").first).to_be_visible()
    for width in (1440, 1024, 480, 320):
        console.page.set_viewport_size({"width": width, "height": 800})
        assert console.width() <= width
        assert header.evaluate(CUT) == [], width
        assert console.page.evaluate(BEYOND) == [], width  # the suggestions, too
