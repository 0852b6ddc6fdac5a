"""The assistant puts widgets on a canvas that the user is looking at."""

import re

from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.mail_widget import connect
from tests.browser.office_suite import forget

WISH = "Show me the weather where my first contact lives"


def test_a_request_in_the_chat_becomes_widgets_on_the_open_canvas(console, opened):
    """The chat is in one tab and the canvas in another; a contact is then chosen by hand."""
    canvas = Canvas(console).create()
    forget(console)
    chat = opened(like=console).sign_in()
    chat.ask(WISH)
    expect(canvas.boxes).to_have_count(2)
    expect(canvas.lines).to_have_attribute("data-state", "live")
    for box in canvas.boxes.all():
        expect(box).to_be_in_viewport(ratio=1)
    expect(canvas.rows).to_have_text(["Place of Contacts to Place of Weather"])

    contacts, weather = canvas.frame("Contacts"), canvas.frame("Weather")
    contacts.get_by_role("button", name=re.compile("Connect|Show contacts")).click()
    connect(canvas, contacts)
    contacts.get_by_role("button", name="Dani Okafor").click()
    expect(weather.get_by_label("City")).to_have_value("Berlin")
    expect(weather.get_by_text("Feels like")).to_be_visible()

    calls = chat.answers.last.locator("details > summary")
    expect(calls).to_contain_text(
        ["Looked up which widgets", "Read 1 canvas", "Checked the canvas", "Changed the canvas"]
    )
    assert chat.violations() == []
    chat.answers.last.get_by_role("link", name="Open the canvas").click()
    expect(Canvas(chat).boxes).to_have_count(2)
    expect(Canvas(chat).lines).to_have_attribute("data-state", "live")
