"""The layout, on wide screens and on phones."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.held_traffic import first_of

PHONE = {"viewport": {"width": 375, "height": 720}, "has_touch": True, "is_mobile": True}
TABLE = "repeat after me: |A|B|C|\n|-|-|-|\n|Extraordinarily|Telecommunications|Unquestionable|"


def box(locator):
    found = locator.bounding_box()
    assert found
    return found


def style(locator, css: str) -> str:
    return locator.evaluate(f"(node) => getComputedStyle(node).{css}")


def test_the_header_does_not_move_with_the_balance(console):
    amount = console.page.locator(".amount")
    leave = console.page.get_by_role("button", name="Account of")
    expect(amount).to_have_text("1,000")
    for width in (320, 375, 420, 560):
        console.page.set_viewport_size({"width": width, "height": 700})
        places = []
        for balance in ("0", "1,000", "999,999.99"):
            amount.evaluate("(node, text) => (node.textContent = text)", balance)
            places.append((box(leave)["y"], round(box(leave)["x"] + box(leave)["width"])))
            assert console.width() <= width
        assert len(set(places)) == 1, width
        assert places[0][1] == width - 10
        assert abs(box(amount)["y"] - box(leave)["y"]) < 12, "in one line with it"


def test_the_open_chat_is_one_box_and_its_table_breaks_between_words_on_a_phone(opened):
    console = opened(**PHONE).sign_in()
    console.ask(TABLE)
    console.button("Chats").click()
    [chat] = console.chats.all()
    clear = "rgba(0, 0, 0, 0)"
    assert style(chat, "backgroundColor") != clear
    for part in (".chat-link", ".chat-actions"):
        assert style(chat.locator(part), "backgroundColor") == clear
    console.page.locator(".chat-link").click()
    expect(console.answers).to_be_visible()
    cells = console.answers.last.locator("td")
    expect(cells).to_have_count(3)
    assert box(cells.first)["height"] < 40, "one line"
    assert console.width() <= 375


def test_the_focus_ring_of_the_first_chat_is_whole(console):
    console.ask("count to 2")
    console.choose("count to 2", "Rename")
    field, chats = console.page.locator(".rename"), console.page.locator(".chat-lists")
    assert box(field)["y"] - box(chats)["y"] >= 3


@pytest.mark.parametrize("width", [320, 1280])
def test_a_row_stays_as_it_is_while_its_date_is_chosen(opened, width):
    console = opened(viewport={"width": width, "height": 700}).sign_in()
    console.api("POST", "records/tasks", {"title": "Call the caterer for the spring fair"})
    console.api("POST", "records/tasks", {"title": "Print", "due": "2026-12-01T09:00:00Z"})
    if width < 400:
        console.button("Data").click()
    title = console.page.get_by_label("Title of Call the caterer")
    due = console.page.get_by_role("button", name="Due of Print")
    expect(due).to_be_visible()
    assert box(due)["height"] < 32, "one line"
    before = box(title), box(due)
    console.page.get_by_role("button", name="Due of Call the caterer").click()
    field = box(console.page.locator("input[type=datetime-local]:visible"))
    assert field["x"] >= 0
    assert field["x"] + field["width"] <= width
    assert (box(title), box(due)) == before


def test_the_chosen_theme_stays_and_other_tabs_follow(opened):
    console = opened(color_scheme="light").sign_in()
    ground = console.page.locator("body")
    light = style(ground, "backgroundColor")
    console.show_account()
    console.button("Dark").click()
    expect(ground).not_to_have_css("background-color", light)
    assert console.violations() == []
    console.page.reload()
    expect(ground).not_to_have_css("background-color", light)
    other = console.page.context.new_page()
    other.goto(console.service.url)
    other.evaluate("localStorage.removeItem('console.theme')")
    expect(ground).to_have_css("background-color", light)


def test_the_views_are_in_a_menu_on_a_phone_and_what_a_mouse_would_show_is_there(opened):
    console = opened(**PHONE).sign_in()
    button = console.page.get_by_role("button", name="Views")
    views = console.page.get_by_role("navigation", name="Views")
    expect(views).to_be_hidden()
    button.click()
    assert console.violations() == []
    views.get_by_text("Connections").click()
    expect(views).to_be_hidden()
    expect(button).to_have_text("Connections")
    expect(button).to_have_accessible_name("Views: Connections")
    button.click()
    console.page.keyboard.press("Escape")
    expect(views).to_be_hidden()
    expect(button).to_be_focused()
    console.open("/#/usage/statement")
    export, table = box(console.button("Export CSV")), box(console.page.locator(".usage-box"))
    assert round(export["x"] + export["width"]) == round(table["x"] + table["width"])
    console.api("POST", "records/tasks", {"title": "Call the caterer"})
    console.open("/#/chat")
    console.button("Data").click()
    due = console.page.get_by_role("button", name="Due of Call the caterer")
    expect(due).to_have_css("opacity", "1")


HEBREW = "אני רוצה 3 משימות: A, B."


def test_a_text_has_the_direction_of_its_own_words(console):
    console.composer.fill(HEBREW)
    assert style(console.composer, "direction") == "rtl"
    console.ask(f"repeat after me: {HEBREW}\n\nIn English.")
    words = console.answers.last.locator(".prose p")
    assert [style(one, "direction") for one in words.all()] == ["rtl", "ltr"]
    assert style(console.log.locator(".as-typed").last, "unicodeBidi") == "plaintext"
    title = console.page.locator(".chat-title").first
    assert style(title, "unicodeBidi") == "plaintext"
    assert style(console.page.locator(".talk-title"), "unicodeBidi") == "plaintext"
    console.page.keyboard.press("Control+k")
    assert style(console.page.locator(".palette-label").last, "unicodeBidi") == "plaintext"
    console.page.keyboard.press("Escape")


def test_a_canvas_lies_the_same_on_a_page_from_right_to_left(console):
    canvas = Canvas(console).put("Note")
    note = canvas.frame("Note").get_by_label("Note")
    note.fill(HEBREW)
    assert style(note, "direction") == "rtl"
    console.page.evaluate("document.documentElement.dir = 'rtl'")
    console.button("Show all").click()
    view = box(console.page.locator(".canvas"))
    shape = box(canvas.boxes.first)
    assert view["x"] <= shape["x"]
    assert shape["x"] + shape["width"] <= view["x"] + view["width"]


def test_the_title_of_a_canvas_has_the_room_that_there_is(console):
    canvas = Canvas(console).create()
    title = canvas.page.get_by_label("Title of the canvas")
    expect(title).to_have_value("Canvas 1")
    short = box(title)["width"]
    tools = box(console.button("Add widget"))
    title.fill("The widgets with which the spring fair is prepared")
    assert box(title)["width"] > 1.5 * short
    assert box(console.button("Add widget")) == tools
    console.page.set_viewport_size({"width": 1440, "height": 800})
    assert title.evaluate("(field) => field.scrollWidth <= field.clientWidth")


NO_PATIENCE_ENDS = """
const later = setTimeout;
window.setTimeout = (act, ms, ...more) => ([1000, 1500].includes(ms) ? 0 : later(act, ms, ...more));
"""

FORM_OF_MESSAGES = ("shared/markdown-tables.js", "chat/message-controls.js", "chat/messages.css")


def test_a_table_beside_the_chat_shows_once_those_above_it_are_there(opened):
    console, held = opened(own=True), []
    page = console.page
    page.add_init_script(NO_PATIENCE_ENDS)
    page.route("**/api/records/notes?*", lambda route: held.append(route))
    with page.expect_response("**/api/records/tasks?*"):
        console.sign_in()
    expect(page.get_by_label("New note")).to_be_visible()
    expect(page.get_by_text("No tasks yet.")).to_be_attached()
    expect(page.get_by_text("No tasks yet.")).to_be_hidden()
    first_of(held, page)
    for route in held:
        route.continue_()
    expect(page.get_by_text("No tasks yet.")).to_be_visible()


def test_a_table_beside_the_chat_does_not_wait_for_another_for_long(opened):
    console = opened(own=True)
    console.page.route("**/api/records/notes?*", lambda route: None)
    console.sign_in()
    expect(console.page.get_by_text("No tasks yet.")).to_be_visible()


def test_messages_are_shown_once_all_is_there_that_gives_them_their_height(opened):
    """Or what is read moves when it comes."""
    console = opened(own=True).sign_in()
    console.ask(TABLE)
    console.page.add_init_script(NO_PATIENCE_ENDS)
    for late in FORM_OF_MESSAGES:
        are_hidden_until_it_comes(console.page, late)


def are_hidden_until_it_comes(page, late):
    held = []
    page.route(f"**/{late}", lambda route: held.append(route))
    with page.expect_response("**/api/records/ai-messages?*"):
        page.reload(wait_until="commit")
    expect(page.locator(".message").last, late).to_be_attached()
    expect(page.locator(".message").last, late).to_be_hidden()
    first_of(held, page)
    for route in held:
        route.continue_()
    expect(page.locator(".log table"), late).to_be_visible()
    expect(page.get_by_text("· llm"), late).to_be_visible()
    page.unroute_all()


def test_messages_do_not_wait_for_their_form_for_long(opened):
    console = opened(own=True).sign_in()
    console.ask("count to 2")
    console.page.route("**/chat/message-controls.js", lambda route: None)
    console.page.reload(wait_until="commit")
    expect(console.page.get_by_text("1 2", exact=True)).to_be_visible()


def test_a_note_that_is_cut_fades_at_its_end(console):
    for title, lines in (("Short", 3), ("Long", 4)):
        console.api("POST", "records/notes", {"title": title, "text": "\n".join(["line"] * lines)})
    short, long = (console.page.get_by_label(f"Text of {title}") for title in ("Short", "Long"))
    for motion in ("no-preference", "reduce"):
        console.page.emulate_media(reduced_motion=motion)
        expect(short).to_have_css("mask-image", "none")
        expect(long).to_have_css("mask-image", re.compile("gradient"))
    long.focus()
    expect(long).to_have_css("mask-image", "none")
    # Where there are no timelines, the animation would have ended at once, and fade every cell.
    rules = "[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])"
    timelines = console.page.evaluate(f"{rules}.map(({{ style }}) => style?.animationTimeline)")
    assert "scroll(self)" not in timelines
