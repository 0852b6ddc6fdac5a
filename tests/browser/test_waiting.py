"""What a page shows while the answers of the service are on their way."""

import pytest
from playwright.sync_api import expect

from tests.browser.held_traffic import first_of

WAITING = {  # a view, what it reads, and where it says that it waits
    "chat/{chat}": ("records/ai-messages?*", "Conversation and composer"),
    "data/tasks/{task}": ("records/tasks?*", "Record"),
    "usage/calls": ("records/integration-calls?*", "Calls of endpoints"),
    "usage/statement": ("credits?*", "Statement"),
}


@pytest.mark.parametrize("view", WAITING)
def test_a_view_says_that_it_waits_for_what_it_shows(console, view):
    chat = console.new_chat("Plan")
    task = console.api("POST", "records/tasks", {"title": "Water the plants"})["recordId"]
    path, place = WAITING[view]
    held = []
    console.page.route(f"**/api/{path}", held.append)
    address = view.format(chat=chat, task=task)
    console.page.evaluate("(address) => { location.hash = `#/${address}`; }", address)
    region = console.page.get_by_role("region", name=place)
    first_of(held, console.page)
    expect(region.get_by_text("Loading…")).to_be_visible()
    for route in held:
        route.continue_()
    console.page.unroute_all()
    expect(region.get_by_text("Loading…")).to_be_hidden()
