"""The focus of the keyboard stays in place when a button is disabled or disappears."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.data_view import panel, show
from tests.browser.explorer import Explorer
from tests.browser.held_traffic import first_of
from tests.browser.key_events import LIKE_SAFARI
from tests.browser.mail_widget import MAIL, approve
from tests.browser.office_suite import forget
from tests.browser.page import UNENDING

NOT_NOW = {"status": 503, "json": {"error": "unavailable", "message": "Not now."}}
ENTRY = {"kind": "grant", "what": "grant", "amount": 1, "facts": {}, "balance": 1}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
USER = {"role": "user", "disabled": False, "balance": 1, "createdAt": "2026-01-01T00:00:00Z"}
TEMPLATES = "**/api/widgets/templates"


@pytest.fixture
def held(console):
    """Holds the requests of one method to a path; they are in the list."""

    def holding(path, method="GET"):
        routes = []

        def hold(route):
            routes.append(route) if route.request.method == method else route.continue_()

        console.page.route(path, hold)
        return routes

    return holding


def test_a_pressed_button_has_the_focus_also_where_the_browser_gives_it_none(opened):
    console = opened(own=True).sign_in()
    page, account = console.page, console.page.get_by_role("button", name="Account of")
    page.evaluate(LIKE_SAFARI)
    account.click()
    page.keyboard.press("Escape")
    expect(console.button("Sign out")).to_be_hidden()
    account.click()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(account).to_be_focused()


def test_the_save_button_keeps_the_focus_while_it_saves_and_afterwards(console, held):
    task = console.api("POST", "records/tasks", {"title": "Old"})["recordId"]
    page, save = show(console, f"tasks/{task}"), console.button("Save")
    expect(save).to_be_disabled()
    panel(page).get_by_label("Title").fill("New")
    routes = held(f"**/api/records/tasks/{task}", "PATCH")
    with page.expect_request(f"**/api/records/tasks/{task}"):
        save.press("Enter")
    expect(save).to_be_disabled()
    expect(save).to_be_focused()
    page.keyboard.press("Enter")
    first_of(routes, page).continue_()
    expect(panel(page).get_by_role("status")).to_have_text("Saved.")
    expect(save).to_be_focused()
    page.keyboard.press("Enter")
    console.button("Discard").press("Enter")
    expect(console.button("Discard")).to_be_focused()
    assert len(routes) == 1
    assert console.violations() == []


def test_create_keeps_the_focus_while_it_creates_in_vain(console, held):
    console.may_say("503")
    page = show(console)
    console.button("New task").click()
    page.get_by_label("Title").fill("New")
    routes, create = held("**/api/records/tasks", "POST"), console.button("Create")
    with page.expect_request("**/api/records/tasks"):
        create.press("Enter")
    page.keyboard.press("Enter")
    expect(create).to_be_disabled()
    first_of(routes, page).fulfill(**NOT_NOW)
    expect(page.get_by_text("Not now.")).to_be_visible()
    expect(create).to_be_focused()
    assert len(routes) == 1


def test_undo_keeps_the_focus_once_there_is_nothing_to_undo(console):
    canvas = Canvas(console).create().add("Note")
    undo, redo = console.button("Undo"), console.button("Redo")
    expect(redo).to_be_disabled()
    undo.press("Enter")
    expect(canvas.boxes).to_have_count(0)
    expect(undo).to_be_disabled()
    expect(undo).to_be_focused()
    redo.press("Enter")
    expect(canvas.boxes).to_have_count(1)
    expect(redo).to_be_focused()


def test_the_export_keeps_the_focus(console, held):
    console.open("/#/usage/statement")
    export = console.button("Export CSV")
    expect(console.table("Entries of your account")).to_contain_text("Starting credits")
    routes = held(re.compile(r"/api/credits\?"))
    export.press("Enter")
    expect(export).to_be_disabled()
    expect(export).to_be_focused()
    with console.page.expect_download():
        first_of(routes, console.page).continue_()
    expect(export).to_be_enabled()


CALL = {"endpoint": "current-weather", "status": "done", "credits": 0}
CHANGE = {"collection": "notes", "recordId": "r", "outcome": "created", "undone": False}
LISTS = {
    "statement": (
        r"/api/credits\?",
        lambda facts: {"balance": 1, "entries": [ENTRY | facts]},
        "tbody tr",
    ),
    "calls": (
        r"/api/records/integration-calls\?",
        lambda facts: {"records": [{"data": CALL} | facts]},
        ".call-row a",
    ),
    "changes": (
        "/api/ai/journal",
        lambda facts: {"entries": [CHANGE | facts | {"turnId": facts["recordId"]}]},
        "article h3",
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_older_entries_have_the_focus_once_there_are_no_more(console, name):
    path, page_of, rows = LISTS[name]

    def answer(route):
        is_second = "cursor" in route.request.url
        at = "2026-01-01T00:00:00Z" if is_second else "2026-01-02T00:00:00Z"
        number = "2" if is_second else "1"
        facts = {"recordId": number, "entryId": number, "createdAt": at, "updatedAt": at}
        route.fulfill(json=page_of(facts) | {"nextCursor": None if is_second else "c"})

    held = []
    console.page.route(
        re.compile(path), lambda route: answer(route) if held else held.append(route)
    )
    console.open(f"/#/usage/{name}")
    expect(console.page.locator(".usage-part")).to_be_visible()
    older = console.page.get_by_role("button", name="Show older")
    assert not older.is_visible(), "a press before the first page is there would be lost"
    answer(first_of(held, console.page))
    older.press("Enter")
    shown = console.page.locator(f".usage-part {rows}")
    expect(shown).to_have_count(2)
    expect(shown.last).to_be_focused()


def test_what_a_search_has_found_stays_until_the_rest_is_read_and_that_has_the_focus(console):
    console.may_say("503")
    for number in range(25):
        console.new_chat(f"Fair {number}")
    console.page.get_by_label("Search chats").fill("Fair")
    more, hits = console.button("Show more"), console.page.locator(".search-hits a")
    expect(hits).to_have_count(20)
    console.page.route("**/api/ai/search?*", lambda route: route.fulfill(**NOT_NOW), times=1)
    more.press("Enter")
    expect(console.page.locator(".search-results [role=status]")).to_have_text("Not now.")
    expect(more).to_be_focused()
    more.press("Enter")
    expect(hits).to_have_count(25)
    expect(hits.nth(20)).to_be_focused()


def test_older_chats_have_the_focus_once_there_are_no_more(console):
    for number in range(52):
        console.new_chat(f"Chat {number}")
    expect(console.chats.first).to_contain_text("Chat 51")  # the last one has come
    older = console.button("Show older chats")
    older.press("Enter")
    expect(older).to_be_hidden()
    expect(console.page.get_by_role("link", name=re.compile(r"^Chat 1\b"))).to_be_focused()


PARTS = {
    "data": "**/api/records",
    "explorer": "**/api/integrations/catalog",
    "connections": "**/api/integrations/status",
    "usage": "**/api/credits/spend*",
    "usage/calls": "**/api/records/integration-calls*",
}


def test_the_focus_moves_on_when_try_again_disappears(opened):
    console = opened(fresh=True).sign_in()
    console.may_say("503")
    page = console.page
    again = page.locator("main").get_by_role("button", name="Try again")
    for view, path in PARTS.items():
        page.route(path, lambda route: route.fulfill(**NOT_NOW))
        console.open(f"/#/{view}")
        if view == "data":  # the console has read this already, and does not ask for it again
            page.reload()
        expect(page.locator(".live-word")).to_have_text("Live")  # it would try again by itself
        again.press("Enter")
        expect(again).to_be_focused()
        page.unroute_all()
        again.press("Enter")
        expect(again).to_be_hidden()
        expect(page.locator(":focus:visible")).to_have_count(1)


def test_a_call_that_is_cancelled_leaves_the_focus_at_its_answer(console, held):
    explorer = Explorer(console).show()
    held("**/api/integrations/encyclopedia-summary", "POST")
    explorer.open("encyclopedia-summary").fill(title="Berlin").send()
    console.button("Cancel").press("Enter")
    expect(explorer.answer).to_be_focused()


def test_the_button_of_a_widget_keeps_the_focus_and_cancel_hands_it_on(console, held):
    forget(console)
    canvas = Canvas(console).put("Mail")
    mail = canvas.frame("Mail")
    mail.get_by_label("To").fill("cleo@example.com")
    mail.get_by_label("Message").fill("Hello")
    routes, send = held(f"**{MAIL}", "POST"), mail.get_by_role("button", name="Send")
    with canvas.page.expect_request(f"**{MAIL}"):
        send.press("Enter")
        approve(canvas)
    expect(canvas.page.locator("iframe[title^=Mail]")).to_be_focused()
    expect(send).to_be_disabled()
    send.press("Enter")
    mail.get_by_label("To").press("Enter")
    mail.get_by_role("button", name="Cancel").press("Enter")
    expect(send).to_be_enabled()
    expect(mail.locator(".widget-content")).to_be_focused()
    assert len(routes) == 1


def test_more_users_have_the_focus_once_there_are_no_more(opened):
    console = opened(role="admin").sign_in()

    def answer(route):
        some = range(50 if "limit=50" in route.request.url else 52)
        users = [USER | {"subject": f"user-{number}"} for number in some]
        route.fulfill(json={"users": users, "nextCursor": "c" if len(some) == 50 else None})

    console.page.route("**/api/admin/users?*", answer)
    console.open("/#/admin/users")
    more = console.button("Show more")
    more.press("Enter")
    expect(more).to_be_hidden()
    expect(console.page.get_by_role("link", name="user-50")).to_be_focused()


def test_a_user_has_the_focus_at_the_way_back_and_the_list_at_the_user(opened):
    console = opened(role="admin").sign_in()
    console.open("/#/admin/users")
    user = console.page.get_by_role("link", name=console.subject, exact=True)
    user.press("Enter")
    expect(console.page.get_by_role("link", name="All users")).to_be_focused()
    console.page.keyboard.press("Enter")
    expect(user).to_be_focused()


def test_try_again_hands_the_focus_to_the_canvas(console):
    console.may_say("503")
    canvas = Canvas(console).create()
    canvas.page.route(TEMPLATES, lambda route: route.fulfill(**NOT_NOW))
    canvas.page.reload()
    expect(console.page.locator(".live-word")).to_have_text("Live")  # it would try again by itself
    again = canvas.page.locator("main").get_by_role("button", name="Try again")
    again.press("Enter")
    expect(again).to_be_focused()
    canvas.page.unroute(TEMPLATES)
    again.press("Enter")
    expect(canvas.page.get_by_label("Title of the canvas")).to_be_visible()
    expect(canvas.page.locator(":focus")).to_have_count(1)


def test_a_canvas_that_is_not_stored_hands_the_focus_on(console):
    console.may_say("400")
    canvas = Canvas(console).create()
    canvas.saved()
    refused = {"error": "invalid_request", "message": "No."}
    canvas.page.route(
        "**/api/records/canvases/*",
        lambda route: (
            route.fulfill(status=400, json=refused)
            if route.request.method == "PATCH"
            else route.continue_()
        ),
    )
    canvas.add("Note")
    again = console.button("Try again")
    again.press("Enter")
    expect(again).to_be_focused()
    console.button("Discard my changes").press("Enter")
    expect(again).to_be_hidden()
    expect(console.button("Add widget")).to_be_focused()


def test_a_consent_that_is_not_given_leaves_the_focus_in_the_widget(opened):
    console = opened().open("/app/contacts")
    forget(console)
    page = console.page
    page.get_by_role("button", name="Show contacts").click()
    page.get_by_label("Sign-in token").fill(console.token)
    console.button("Sign in").click()
    connect = page.get_by_role("alert").get_by_role("button", name="Connect")
    with page.expect_popup():
        connect.press("Enter")
    page.bring_to_front()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_text("Consent was not given.")).to_be_visible()
    expect(page.locator(".widget-content")).to_be_focused()


def test_a_list_that_a_narrow_screen_hides_leaves_the_focus_in_what_is_shown(opened):
    console = opened(viewport={"width": 390, "height": 844}).sign_in()
    page, main = console.page, console.page.get_by_role("main")
    console.button("Views: Chat").press("Enter")
    page.get_by_role("link", name="Data", exact=True).press("Enter")
    expect(main).to_be_focused()
    page.get_by_role("link", name="Tasks", exact=True).press("Enter")
    expect(main).to_be_focused()
    expect(page.get_by_role("link", name="All data")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="All data")).to_be_focused()
    page.keyboard.press("Enter")
    expect(main).to_be_focused()
    console.new_chat("One")
    page.evaluate("location.hash = '#/chat'")
    console.button("Chats").press("Enter")
    page.locator(".chat-link").press("Enter")
    expect(console.composer).to_be_focused()


def test_a_canvas_has_the_focus_once_it_is_open_and_its_link_after_that(console):
    console.show_view("Canvases")
    console.button("New canvas").press("Enter")
    add, link = console.button("Add widget"), console.page.get_by_role("link", name="Canvas 1")
    expect(add).to_be_focused()
    console.page.get_by_role("main").get_by_role("link", name="Canvases").press("Enter")
    expect(link).to_be_focused()
    console.page.keyboard.press("Enter")
    expect(add).to_be_focused()


def test_a_new_reply_leaves_the_focus_in_the_conversation(console):
    console.send(UNENDING)
    for action in ("Edit", "Regenerate", "Continue"):
        expect(console.answers).to_contain_text("1 2 3")
        console.button("Stop").click()
        console.button(action).press("Enter")
        if action == "Edit":
            console.page.keyboard.type("0")
            console.page.keyboard.press("Control+Enter")
        expect(console.button("Stop"), action).to_be_visible()
        expect(console.log, action).to_be_focused()
    console.page.keyboard.press("Escape")
    console.is_idle()


def test_a_chat_that_is_pinned_by_the_keyboard_keeps_the_focus(console):
    console.new_chat("One")
    chat = console.page.get_by_role("link", name="One")
    chat.press("ArrowRight")
    console.page.keyboard.press("Enter")
    console.page.get_by_role("menuitem", name="Pin").press("Enter")
    expect(console.page.get_by_role("list", name="Pinned").get_by_role("link")).to_be_focused()


def test_a_reply_by_another_model_leaves_the_focus_in_the_conversation(console):
    console.ask("count to 2")
    console.button("Regenerate with another model").press("Enter")
    choices = console.page.get_by_role("group", name="Regenerate with").get_by_role("button")
    choices.last.press("Enter")
    expect(choices).to_have_count(0)
    expect(console.log).to_be_focused()
    console.is_idle()


def test_an_error_that_is_dismissed_leaves_the_focus_in_the_composer_and_is_shown_again(console):
    console.may_say("503")
    console.ask("count to 2")

    def answer(route):
        if "cursor" in route.request.url:
            return route.fulfill(**NOT_NOW)
        page = route.fetch()
        return route.fulfill(response=page, json={**page.json(), "nextCursor": "more"})

    console.page.route("**/api/records/ai-messages?*", answer)
    console.page.reload()
    for _ in range(2):
        console.button("Show earlier messages").press("Enter")
        expect(console.problem).to_contain_text("Not now.")
        console.button("Dismiss this error").press("Enter")
        expect(console.problem).to_be_empty()
        expect(console.composer).to_be_focused()


@pytest.mark.parametrize("by_touch", [False, True])
def test_stop_moves_the_focus_to_the_message_box_but_opens_no_keyboard_on_a_touch_screen(
    opened, by_touch
):
    console = opened(**PHONE if by_touch else {}).sign_in()
    console.send(UNENDING)
    expect(console.answers).to_contain_text("1 2 3")
    press = console.button("Stop").tap if by_touch else console.button("Stop").click
    press()
    expect(console.log if by_touch else console.composer).to_be_focused()
    console.is_idle()
    expect(console.log if by_touch else console.composer).to_be_focused()
