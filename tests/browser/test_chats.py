"""The chats: create, rename, delete, their order, and the way from one to another."""

import re

from playwright.sync_api import expect

from tests.browser.held_traffic import signed_in_behind
from tests.browser.page import UNENDING


def test_a_chat_is_created_renamed_and_deleted_and_escape_does_neither(console):
    page = console.page
    console.ask("count to 2")
    console.choose("count to 2", "Rename")
    page.keyboard.type("The plan")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The plan")).to_be_visible()
    assert console.api("GET", "records/ai-chats")["records"][0]["data"]["title"] == "The plan"
    for action in ("Delete", "Rename"):
        console.choose("The plan", action)
        page.keyboard.press("Escape")
        expect(console.chats.first.get_by_role("link"), action).to_be_focused()
    expect(console.chats).to_contain_text(["The plan"])
    console.choose("The plan", "Delete")
    expect(page.get_by_role("dialog")).to_contain_text("The plan")
    expect(console.button("Cancel")).to_be_focused()
    console.button("Delete").click()
    expect(console.chats).to_have_count(0)
    expect(console.button("New chat")).to_be_focused()
    assert console.api("GET", "records/ai-chats")["records"] == []


def test_a_second_press_of_the_button_of_a_menu_closes_the_menu(console):
    console.ask("count to 2")
    chat = console.page.get_by_role("link", name="count to 2")
    chat.hover()
    for _ in range(2):
        console.button("Options of count to 2").click()
        expect(console.page.get_by_role("menu")).to_be_visible()
        console.button("Options of count to 2").click()
        expect(console.page.get_by_role("menu")).to_have_count(0)
        expect(chat).to_be_focused()


def test_a_chat_that_a_page_begins_with_is_read_once(console):
    page = console.page
    console.ask("count to 2")
    asked = []

    def note(request):
        if request.is_navigation_request():
            asked.clear()  # the page before may still have read the chat
        asked.append(request.url)

    page.on("request", note)
    page.reload()
    expect(console.answers).to_contain_text(["1 2"])
    expect(page.locator(".chat-title")).to_have_text(["count to 2"])  # the list reports the chat
    page.wait_for_load_state("networkidle")
    assert len([url for url in asked if "/records/ai-messages?" in url]) == 1
    assert len([url for url in asked if url.endswith("/stream")]) == 1


def test_a_chat_made_before_the_list_arrives_stays_open(opened):
    console, held = signed_in_behind(opened)
    console.ask("count to 3")
    held.let_go()
    expect(console.page.locator(".chat-title")).to_have_text(["count to 3"])
    expect(console.answers).to_contain_text(["1 2 3"])
    expect(console.problem).to_be_empty()


def test_the_ages_of_chats_and_canvases_grow_while_nothing_changes(opened):
    console = opened(alone=True)  # the clock is that of the context
    page = console.page
    page.clock.install()
    console.sign_in()
    console.new_chat("The plan")
    age = console.chats.first.locator("time")
    expect(age).to_have_text("now")
    page.clock.run_for("06:30")
    expect(age).to_have_text(re.compile("^[56] min$"))
    console.api("POST", "records/canvases", {"title": "The trip", "widgets": [], "io": {}})
    console.show_view("Canvases")
    card = page.locator(".canvas-card")
    expect(card).to_contain_text("changed 6 min ago")
    page.clock.run_for("02:30")
    expect(card).to_contain_text(re.compile("changed [89] min ago"))


def test_a_title_that_is_refused_is_kept_for_another_try(console):
    console.may_say("503")
    page = console.page
    console.new_chat("The plan")
    console.choose("The plan", "Rename")
    body = {"error": "unavailable", "message": "The database is away."}
    page.route("**/api/ai/chats/*", lambda route: route.fulfill(status=503, json=body))
    page.keyboard.type("Plans")
    page.keyboard.press("Enter")
    expect(page.locator(".chats-pane [role=alert]")).to_contain_text("The database is away.")
    expect(page.get_by_label("Title of the chat")).to_have_value("Plans")


def test_the_newest_activity_comes_first(opened):
    console = opened()
    for title in ("one", "two", "three"):
        console.new_chat(title)
    console.sign_in()
    expect(console.page.locator(".chat-title")).to_have_text(["three", "two", "one"])
    console.page.get_by_text("one", exact=True).click()
    console.ask("count to 3")
    expect(console.page.locator(".chat-title")).to_have_text(["one", "three", "two"])


def test_what_happens_to_chats_elsewhere_shows_here(console):
    chat = console.new_chat("made elsewhere")
    expect(console.chats).to_contain_text(["made elsewhere"])
    with console.page.expect_response("**/stream"):  # a search in a chat that is gone gets 404
        console.page.get_by_text("made elsewhere").click()
    expect(console.page.get_by_role("heading", name="made elsewhere")).to_be_visible()
    console.composer.fill("half a sentence")
    console.api("PATCH", f"ai/chats/{chat}", {"title": "renamed elsewhere"})
    expect(console.page.get_by_role("heading", name="renamed elsewhere")).to_be_visible()
    console.api("DELETE", f"ai/chats/{chat}")
    expect(console.problem).to_contain_text("no longer exists. Your draft is kept here.")
    expect(console.composer).to_have_value("half a sentence")


def test_a_title_that_is_being_typed_stays_while_its_chat_changes_its_group(console):
    chat, field = console.new_chat("as it was"), console.page.get_by_label("Title of the chat")
    console.choose("as it was", "Rename")
    field.fill("half a ti")
    for pinned, group in ((True, "Pinned"), (False, "Today")):
        console.api("PATCH", f"ai/chats/{chat}", {"pinned": pinned})
        expect(console.page.locator(".chat-group")).to_have_text([group])
        expect(field).to_be_focused()
    assert console.api("GET", f"records/ai-chats/{chat}")["data"]["title"] == "as it was"
    field.press("Escape")


def test_a_new_chat_is_stored_with_its_first_message(console):
    console.ask("count to 2")
    console.button("New chat").click()
    expect(console.page.get_by_role("heading", name="New chat")).to_be_visible()
    expect(console.composer).to_be_focused()
    expect(console.chats).to_have_count(1)
    console.page.get_by_text("count to 2").first.click()
    console.button("New chat").click()
    assert len(console.api("GET", "records/ai-chats")["records"]) == 1
    console.ask("count to 3")
    expect(console.chats).to_have_count(2)


def test_a_chat_has_its_title_before_its_first_reply_ends(console):
    title = f"Please {UNENDING}"
    console.send(f"**Please** {UNENDING}")
    expect(console.page.get_by_role("heading", name=title)).to_be_visible()
    expect(console.page.locator(".chat-title")).to_have_text([title])
    expect(console.answers).to_contain_text(["1 2 3"])  # without a word, the chat would go
    console.button("Stop").click()
    console.is_idle()
    console.page.reload()
    expect(console.page.locator(".chat-title")).to_have_text([title])


def test_the_menu_leads_back_to_where_one_was(console):
    menu = console.page.get_by_role("navigation", name="Views")
    console.ask("count to 2")
    console.composer.fill("and then")
    menu.get_by_text("Chat", exact=True).click()
    expect(console.answers).to_have_count(1)
    menu.get_by_text("Connections").click()
    expect(console.composer).to_be_hidden()
    menu.get_by_text("Chat", exact=True).click()
    expect(console.answers).to_have_count(1)
    expect(console.composer).to_have_value("and then")


def test_the_tab_says_which_chat_is_open(console):
    page = console.page
    expect(page).to_have_title("Console")
    chat = console.new_chat("The plan")
    page.get_by_text("The plan").click()
    expect(page).to_have_title("The plan · Console")
    console.api("PATCH", f"ai/chats/{chat}", {"title": "Plan B"})
    expect(page).to_have_title("Plan B · Console")
    page.get_by_role("navigation", name="Views").get_by_text("Connections").click()
    expect(page).to_have_title("Connections · Console")
    page.go_back()
    expect(page).to_have_title("Plan B · Console")
    console.sign_out()
    expect(page).to_have_title("Console")


def test_deleting_the_open_chat_is_no_error_and_the_way_back_does_not_lead_to_it(console):
    console.new_chat("first")
    console.open_chat("first")
    chat = console.new_chat("second")
    console.open_chat("second")
    console.composer.fill("of no use any more")
    console.choose("second", "Delete")
    console.button("Delete").click()
    expect(console.chats).to_have_count(1)
    expect(console.page.get_by_role("heading", name="New chat")).to_be_visible()
    expect(console.problem).to_be_empty()
    expect(console.composer).to_have_value("")
    assert chat not in console.page.url
    console.page.go_back()
    expect(console.page.get_by_role("heading", name="first")).to_be_visible()


def test_a_link_to_no_chat_says_so(console):
    console.new_chat("first")
    console.page.get_by_text("first").click()
    console.page.evaluate("location.hash = '#/chat/gone'")
    expect(console.problem).to_have_text("This chat no longer exists.")
    expect(console.page).to_have_url(re.compile("#/chat$"))
    console.page.go_back()
    expect(console.page.get_by_role("heading", name="first")).to_be_visible()


def test_a_chat_that_goes_elsewhere_leaves_the_connections_on_the_screen(console):
    chat = console.new_chat("first")
    with console.page.expect_response("**/stream"):  # a search in a chat that is gone gets 404
        console.page.get_by_text("first").click()
    menu = console.page.get_by_role("navigation", name="Views")
    menu.get_by_text("Connections").click()
    console.api("DELETE", f"ai/chats/{chat}")
    console.page.wait_for_timeout(300)  # for the socket to tell
    expect(console.page.get_by_role("heading", name="Connections")).to_be_visible()
    menu.get_by_text("Chat", exact=True).click()
    expect(console.problem).to_have_text("This chat no longer exists.")
