"""Addresses that lead to no view, typed by a person or kept from earlier."""

from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 390, "height": 720}, "has_touch": True, "is_mobile": True}


def go(console, address):
    console.page.evaluate("(address) => (location.hash = address)", address)


def test_an_address_that_no_view_has_is_no_page(opened):
    console = opened(**PHONE).sign_in()
    go(console, "#/nope/x")
    note = console.page.get_by_text("This page does not exist.")
    expect(note).to_be_visible()
    expect(console.page).to_have_title("Page not found · Console")
    expect(console.problem).to_have_count(0)
    assert (console.width() <= 390, console.violations()) == (True, [])
    note.get_by_role("link").click()
    expect(console.composer).to_be_visible()
    expect(note).to_have_count(0)


def test_a_canvas_that_does_not_exist_is_no_editor_and_leads_to_all_canvases(console):
    console.may_say("404")
    go(console, "#/canvas/nope")
    note = console.page.get_by_text("There is no canvas at this address.")
    expect(note).to_be_visible()
    expect(console.button("Add widget")).to_have_count(0)
    expect(console.button("Try again")).to_have_count(0)
    assert console.violations() == []
    note.get_by_role("link", name="See all canvases").click()
    expect(console.button("New canvas")).to_be_visible()
    go(console, "#/chat")
    go(console, "#/canvases")  # by their plural, too
    expect(console.button("New canvas")).to_be_visible()
    expect(console.page).to_have_title("Canvases · Console")


# Ids in addresses that would lead a request elsewhere, if they were pieces of its path.
AWAY = {
    "chat": "../../integrations/search-images?query=a#",
    "canvas": "../../integrations/search-images?query=a",
}


@pytest.mark.parametrize("view", AWAY)
def test_an_address_makes_no_other_request_than_its_views(console, view):
    """Anybody can make a link: it would call endpoints in the name of who follows it, who pays."""
    console.may_say("404")
    console.page.goto("about:blank")
    with console.page.expect_request(lambda request: "search-images" in request.url) as asked:
        console.open(f"/#/{view}/{quote(AWAY[view], safe='')}")
    assert urlsplit(asked.value.url).path.startswith(("/api/ai/chat/", "/api/records/"))
    asked.value.response()
    assert console.api("GET", "credits")["entries"][:-1] == [], "only the starting credits"
