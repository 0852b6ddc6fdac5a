"""What is allowed until the page closes: it is listed, and can be taken back."""

from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.explorer import Explorer

UNTIL_CLOSED = "Allow until this page closes"


def test_an_approval_of_the_explorer_is_listed_and_taken_back(console):
    explorer = Explorer(console).show()
    explorer.open("text-to-speech").fill(text="Hello").send()
    console.button(UNTIL_CLOSED).click()
    sound = explorer.answer.locator("audio")
    expect(sound).to_be_visible()
    console.button("Allowed calls (1)").press("Enter")
    listed = explorer.dialog.get_by_role("listitem")
    expect(listed).to_contain_text("text-to-speechIt is sent without asking you.")
    expect(listed).to_contain_text("Each call costs")
    console.button("Revoke text-to-speech").press("Enter")
    expect(console.button("Close")).to_be_focused()
    console.button("Close").press("Enter")
    expect(console.button("Allowed calls")).to_be_focused()
    explorer.send()
    expect(explorer.dialog).to_contain_text("Nothing is sent before you allow it.")


def test_an_approval_of_a_widget_is_listed_and_taken_back(console):
    canvas = Canvas(console).put("Web search")
    canvas.page.set_viewport_size({"width": 320, "height": 720})
    search(canvas, "tea")
    console.button(UNTIL_CLOSED).click()
    console.button("Allowed calls (1)").press("Enter")
    dialog = canvas.page.get_by_role("dialog")
    words = "The widget “Web search” may call it without asking you."
    expect(dialog.get_by_role("listitem")).to_contain_text(words)
    assert console.violations() == []
    assert console.width() <= 320
    dialog.get_by_role("button", name="Revoke").press("Enter")
    expect(dialog).to_contain_text("None.")
    canvas.page.keyboard.press("Escape")
    search(canvas, "coffee")
    expect(dialog).to_contain_text("The widget “Web search” wants to call search-web-raw.")


def search(canvas, words):
    field = canvas.frame("Web search").get_by_label("Search the web for")
    field.fill(words)
    field.press("Enter")
