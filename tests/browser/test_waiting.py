"""What a page shows while the answers of the service are on their way."""

from playwright.sync_api import expect

from tests.browser.held_traffic import first_of

WAITING = {  # a view, what it reads, and where it says that it waits
    "chat/{chat}": ("records/ai-messages?*", "Conversation and composer"),
    "data/tasks/{task}": ("records/tasks?*", "Record"),
    "usage/calls": ("records/integration-calls?*", "Calls of endpoints"),
    "usage/statement": ("credits?*", "Statement"),
}


def test_a_view_says_that_it_waits_for_what_it_shows(console):
    page = console.page
    chat = console.new_chat("Plan")
    task = console.api("POST", "records/tasks", {"title": "Water the plants"})["recordId"]
    for view, (path, place) in WAITING.items():
        held = []
        page.route(f"**/api/{path}", held.append)
        address = view.format(chat=chat, task=task)
        page.evaluate("(address) => { location.hash = `#/${address}`; }", address)
        waiting = page.get_by_role("region", name=place).get_by_text("Loading…")
        first_of(held, page)
        expect(waiting, view).to_be_visible()
        for route in held:
            route.continue_()
        page.unroute_all()
        expect(waiting, view).to_be_hidden()
