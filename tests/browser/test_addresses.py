"""Addresses that a person types or keeps, and that lead nowhere."""

from playwright.sync_api import expect

PHONE = {"viewport": {"width": 390, "height": 720}, "has_touch": True, "is_mobile": True}


def go(console, address):
    console.page.evaluate("(address) => (location.hash = address)", address)


def test_an_address_that_no_view_has_is_no_page(opened):
    console = opened(**PHONE).sign_in()
    go(console, "#/nope/x")
    note = console.page.get_by_text("There is no such page.")
    expect(note).to_be_visible()
    expect(console.page).to_have_title("No such page · Console")
    expect(console.problem).to_have_count(0)
    assert (console.width() <= 390, console.violations()) == (True, [])
    note.get_by_role("link").click()
    expect(console.composer).to_be_visible()
    expect(note).to_have_count(0)


def test_the_canvases_are_found_by_their_plural_too(console):
    go(console, "#/canvases")
    expect(console.button("New canvas")).to_be_visible()
    expect(console.page).to_have_title("Canvases · Console")


def test_a_canvas_that_does_not_exist_is_no_editor(console):
    console.may_say("404")
    go(console, "#/canvas/nope")
    note = console.page.get_by_text("There is no canvas at this address.")
    expect(note).to_be_visible()
    expect(console.button("Add widget")).to_have_count(0)
    expect(console.button("Try again")).to_have_count(0)
    assert console.violations() == []
    note.get_by_role("link", name="See all canvases").click()
    expect(console.button("New canvas")).to_be_visible()
