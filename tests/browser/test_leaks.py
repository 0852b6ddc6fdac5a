"""What is opened and closed again and again leaves nothing in the page: no node, no listener."""

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas

OFTEN = 5  # times


@pytest.fixture
def rest(console):
    """How many nodes and listeners the page has, without those that nothing refers to."""
    session = console.page.context.new_cdp_session(console.page)
    session.send("Performance.enable")

    def counting():
        session.send("HeapProfiler.collectGarbage")
        metrics = session.send("Performance.getMetrics")["metrics"]
        counts = {each["name"]: each["value"] for each in metrics}
        return counts["Nodes"], counts["JSEventListeners"]

    yield counting
    session.detach()


def assert_nothing_stays(act, rest):
    act()
    nodes, listeners = rest()
    for _ in range(OFTEN):
        act()
    more_nodes, more_listeners = rest()
    assert max(more_nodes - nodes, more_listeners - listeners) < OFTEN  # not one for each time


def test_a_dialog_that_is_shown_again(console, rest):
    canvas = Canvas(console).put("Note")

    def look():
        console.button("Add widget").click()
        console.page.keyboard.press("Escape")
        expect(console.button("Add widget")).to_be_focused()

    assert_nothing_stays(look, rest)
    expect(canvas.boxes).to_have_count(1)
