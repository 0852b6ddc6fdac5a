"""The inspector of a canvas: what its widgets sent and received, and what was dropped."""

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas

SEND = "(message) => parent.postMessage(message, '*')"


@pytest.fixture
def canvas(console):
    return Canvas(console).put("Note", "Mail", lines=[("note.text", "mail.text")])


def write(canvas, text):
    canvas.frame("Note").get_by_role("textbox").first.fill(text)
    expect(canvas.frame("Mail").get_by_label("Message")).to_have_value(text)


def test_messages_of_widgets_are_followed_filtered_paused_and_cleared(canvas):
    page, button = canvas.page, canvas.console.button
    inspector = page.get_by_role("region", name="Messages of widgets")
    rows = inspector.get_by_role("listitem")
    write(canvas, "One")
    expect(inspector).to_be_hidden()
    button("Messages").press("Enter")
    expect(button("Messages")).to_have_attribute("aria-expanded", "true")
    expect(rows.filter(has_text="From Note").filter(has_text='"value":"One"')).not_to_have_count(0)
    expect(rows.filter(has_text="To Mail").filter(has_text='"value":"One"')).not_to_have_count(0)
    expect(rows.filter(has_text="widget-welcome").first).to_contain_text('"nonce":•••')

    note = next(frame for frame in page.frames if "/w/note#" in frame.url)
    note.evaluate(SEND, {"type": "widget-io-output-update", "slotId": "none", "value": {}})
    expect(rows.filter(has_text="Dropped from Note")).to_contain_text("unknown_slot")
    inspector.get_by_label("Show the messages of").select_option("Mail")
    expect(rows.filter(has_text="Note")).to_have_count(0)
    expect(rows.filter(has_text="To Mail").first).to_be_visible()

    button("Pause").press("Enter")
    write(canvas, "Two")
    expect(inspector.get_by_role("button", name="Resume (")).not_to_contain_text("(0 new)")
    expect(rows.filter(has_text="Two")).to_have_count(0)
    inspector.get_by_role("button", name="Resume (").press("Enter")
    expect(rows.filter(has_text="Two")).not_to_have_count(0)
    page.set_viewport_size({"width": 320, "height": 640})
    assert canvas.console.violations() == []
    assert canvas.console.width() <= 320
    button("Clear").press("Enter")
    expect(inspector.get_by_text("No messages yet.")).to_be_visible()
    expect(rows).to_have_count(0)
    button("Messages").press("Enter")
    expect(inspector).to_be_hidden()
