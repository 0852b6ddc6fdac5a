"""What is opened and closed again and again leaves nothing in the page: no node, no listener."""

import pytest
from playwright.sync_api import expect

from tests.browser.approval_errand import WEATHER, card
from tests.browser.canvas import Canvas
from tests.browser.office_suite import forget

OFTEN, ROUNDS = 5, 3
SHOW_CHAT = """(id) => {
  const { hash } = location;
  location.hash = `#/chat/${id}`;
  return hash;
}"""


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
    """What stays for each time also stays in the last round; a page may load more in the first."""
    act()
    before = rest()
    for _ in range(ROUNDS):
        for _ in range(OFTEN):
            act()
        now = rest()
        grown = [new - old for new, old in zip(now, before, strict=True)]
        if max(grown) < OFTEN:  # not one for each time
            return
        before = now
    pytest.fail(f"{grown} nodes and listeners more after {OFTEN} times")


def test_a_dialog_that_is_shown_again(console, rest):
    canvas = Canvas(console).put("Note")

    def look():
        console.button("Add widget").click()
        console.page.keyboard.press("Escape")
        expect(console.button("Add widget")).to_be_focused()

    assert_nothing_stays(look, rest)
    expect(canvas.boxes).to_have_count(1)


def test_a_question_that_waits_while_another_chat_is_read(console, rest):
    forget(console)
    console.send(WEATHER)
    question = card(console, "Connection: Cloud suite")
    expect(question).to_be_visible()
    expect(console.log).to_contain_text("Weather in Berlin: 5.4 °C")  # nothing else comes
    other = console.new_chat("Another one")
    listed = console.page.locator(".chat-title").filter(has_text="Another one")
    expect(listed).to_have_count(1)  # a chat that is not in the list counts as deleted

    def look():
        asking = console.page.evaluate(SHOW_CHAT, other)
        expect(console.page.get_by_role("heading", name="Another one")).to_be_visible()
        console.page.evaluate("(hash) => { location.hash = hash; }", asking)
        expect(question).to_be_visible()

    assert_nothing_stays(look, rest)
