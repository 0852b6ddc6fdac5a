"""The canvas where there is little room, and its view moved by keys."""

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.explorer import Explorer
from tests.browser.view_list import VIEWS

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
ON_ITS_SIDE = {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}
SMALL = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}


LOW = {"viewport": {"width": 1280, "height": 600}}
WIDE = {"viewport": {"width": 1280, "height": 800}}
SIZE = "() => { const { scrollWidth, scrollHeight } = document.documentElement; return [scrollWidth, scrollHeight]; }"  # noqa: E501


LONG = "Donaudampfschifffahrtsgesellschaftskapitaen" * 4


def box(locator):
    found = locator.bounding_box()
    assert found
    return found


def share(canvas):
    """How much of what is below the bar the canvas itself has."""
    return box(canvas.page.locator(".canvas"))["height"] / below_the_bar(canvas)["height"]


def below_the_bar(canvas):
    return box(canvas.page.locator(".canvas-body"))


def create(console):
    """On a phone the views are in a menu."""
    console.show_view("Canvases")
    console.button("New canvas").click()
    expect(console.button("Add widget")).to_be_enabled()
    return Canvas(console)


def test_the_canvas_is_seen_whatever_is_open_beside_it(opened):
    console = opened(**PHONE).sign_in()
    canvas = Canvas(console).put("Note", "Mail")
    listed = canvas.page.get_by_role("region", name="Connections of this canvas")
    for screen in (PHONE, ON_ITS_SIDE, SMALL):
        size = screen["viewport"]
        canvas.page.set_viewport_size(size)
        expect(listed).to_be_hidden()
        assert share(canvas) == 1, size
        for name in ("Connections", "Messages"):
            button = console.button(name)
            button.click()
            expect(button).to_have_attribute("aria-expanded", "true")
            assert share(canvas) >= 0.45, size
            assert box(canvas.page.locator(".canvas"))["width"] >= size["width"] * 0.45, size
            assert console.width() <= size["width"], size
        expect(listed).to_be_hidden()
        expect(console.button("Connections")).to_have_attribute("aria-expanded", "false")
        console.button("Messages").click()


def middle(locator):
    found = box(locator)
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2


def test_what_is_seen_of_a_canvas_stays_in_the_middle_when_a_panel_takes_its_room(opened):
    console = opened(**PHONE).sign_in()
    canvas = Canvas(console).put("Note")
    view = canvas.page.locator(".canvas")
    for screen in (PHONE, ON_ITS_SIDE, WIDE):
        canvas.page.set_viewport_size(screen["viewport"])
        console.button("Show all").click()
        if screen == PHONE:
            console.button("Zoom in").click()
        for name in ("Messages", "Connections", "Connections"):
            console.button(name).click()
            canvas.frame("Note").get_by_label("Note").fill(name)  # a message to list
            assert middle(canvas.boxes.first) == pytest.approx(middle(view), abs=5), name
    canvas.page.set_viewport_size(LOW["viewport"])
    console.button("Show all").click()
    for _ in range(2):
        console.button("Messages").click()
        seen, note = box(view), box(canvas.boxes.first)
        assert seen["y"] <= note["y"]
        assert note["y"] + note["height"] <= seen["y"] + seen["height"]


def test_show_all_shows_the_slots_of_the_outermost_widgets_too(opened):
    console = opened(**PHONE).sign_in()
    canvas = Canvas(console).put("Weather")
    for screen in (PHONE, SMALL):
        canvas.page.set_viewport_size(screen["viewport"])
        console.button("Show all").click()
        for slot in canvas.page.locator(".slot").all():
            expect(slot).to_be_in_viewport(ratio=0.999)  # a zoom is no round number


def test_a_question_shows_its_price_and_its_buttons_on_a_low_screen(opened):
    console = opened(viewport={"width": 390, "height": 420}).sign_in()
    explorer = Explorer(console).show().open("generate-text").fill(prompt="a word " * 2000)
    explorer.send()
    expect(explorer.dialog).to_be_visible()
    for width, height in ((390, 420), (1280, 420)):
        console.page.set_viewport_size({"width": width, "height": height})
        for part in ("h2", ".approval-cost", ".dialog-actions"):
            found = box(explorer.dialog.locator(part))
            assert found["y"] >= 0, (width, part)
            assert found["y"] + found["height"] <= height, (width, part)
        assert box(explorer.dialog.locator("details"))["height"] >= 60, width


def test_no_view_lets_the_whole_page_scroll(opened):
    console = opened(role="admin", **PHONE).sign_in()
    console.ask("add a task: call the caterer of the spring fair")
    many = [("notes", {})] * 8  # so that the tables beside the chat need more room than there is
    for collection, more in (("canvases", {"widgets": [], "io": {}}), ("tasks", {}), *many):
        console.api("POST", f"records/{collection}", {"title": LONG, **more})
    too_large = {}
    for view, mark in VIEWS.items():
        console.open(f"/#/{view}")
        for screen in (LOW["viewport"], PHONE["viewport"]):
            console.page.set_viewport_size(screen)
            expect(console.page.locator(mark).first).to_be_attached()
            expect(console.page.get_by_text("Loading…").filter(visible=True)).to_have_count(0)
            width, height = console.page.evaluate(SIZE)
            if width > screen["width"] or height > screen["height"]:
                too_large[view, screen["width"]] = (width, height)
    assert too_large == {}


def test_a_wide_window_shows_both_panels_and_keeps_the_last_one_when_it_becomes_small(console):
    canvas = create(console)
    shown = {
        "Connections": canvas.page.get_by_role("region", name="Connections of this canvas"),
        "Messages": canvas.page.get_by_role("region", name="Messages of widgets"),
    }
    expect(shown["Connections"]).to_be_visible()
    console.button("Messages").click()
    expect(shown["Connections"]).to_be_visible()
    for newest in ("Messages", "Connections"):
        canvas.page.set_viewport_size({"width": 1280, "height": 800})
        for name in shown:
            if console.button(name).get_attribute("aria-expanded") == "true":
                console.button(name).click()
        for name in sorted(shown, key=lambda name: name == newest):
            console.button(name).click()
        canvas.page.set_viewport_size({"width": 390, "height": 844})
        for name, panel in shown.items():
            expect(panel).to_be_visible(visible=name == newest)
            opened = "true" if name == newest else "false"
            expect(console.button(name)).to_have_attribute("aria-expanded", opened)


def test_the_keys_move_and_zoom_the_view_and_no_widget(console):
    canvas = Canvas(console).put("Note")
    canvas.saved()
    console.button("Allowed calls").focus()
    canvas.page.keyboard.press("Tab")
    view = canvas.page.get_by_role("region", name="Canvas", exact=True)
    expect(view).to_be_focused()
    expect(view).to_have_css("outline-style", "solid")
    before, style = box(canvas.boxes), canvas.boxes.get_attribute("style")
    canvas.page.keyboard.press("ArrowRight")
    canvas.page.keyboard.press("ArrowDown")
    moved = box(canvas.boxes)
    assert (moved["x"] - before["x"], moved["y"] - before["y"]) == (-64, -64)
    canvas.page.keyboard.press("-")
    assert box(canvas.boxes)["width"] < before["width"]
    canvas.page.keyboard.press("0")
    assert box(canvas.boxes) == before
    canvas.page.keyboard.press("+")
    assert box(canvas.boxes)["width"] > before["width"]
    assert canvas.boxes.get_attribute("style") == style
    canvas.grip("Note").press("ArrowRight")
    assert canvas.boxes.get_attribute("style") != style
    canvas.page.keyboard.press("?")
    expect(canvas.page.get_by_role("row", name="Move the view")).to_be_visible()


def test_no_hint_below_the_message_box_and_no_slot_of_ours_is_cut(console):
    cut = "(nodes) => nodes.filter((node) => node.scrollWidth > node.clientWidth).length"
    console.page.set_viewport_size({"width": 768, "height": 1024})
    hint = console.page.locator("#composer-hint")
    expect(hint).to_be_visible()
    assert hint.evaluate_all(cut) == 0
    canvas = Canvas(console).put("Contacts", "Calendar")
    expect(canvas.page.locator(".slot-name", has_text="Organization")).to_be_visible()
    assert canvas.page.locator(".slot-name").evaluate_all(cut) == 0


def test_the_mark_of_the_sandbox_is_seen_and_covers_nothing_below_the_header(opened):
    page = opened(viewport={"width": 320, "height": 640}).sign_in().page
    header, mark = page.locator(".top").bounding_box(), page.locator(".top .badge").bounding_box()
    assert 30 < mark["width"] < 320 - mark["x"], "it is seen"
    name = page.get_by_role("button", name="Views").locator("span").bounding_box()
    assert header
    assert mark
    assert name
    assert mark["y"] + mark["height"] <= header["y"] + header["height"]
    assert mark["y"] >= name["y"] + name["height"] - 4  # of its line, below its letters


def test_a_text_that_is_selected_past_the_edge_of_the_drawer_leaves_it_open(opened):
    console = opened(viewport={"width": 1024, "height": 768}).sign_in()
    page = console.page
    console.button("Data").click()
    drawer = page.get_by_role("dialog", name="Data")
    field = drawer.get_by_label("New task")
    field.fill("From right to left")
    place = box(field)
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.down()
    page.mouse.move(200, 400, steps=4)
    page.mouse.up()
    page.wait_for_timeout(100)
    expect(drawer).to_be_visible()
    page.mouse.click(200, 400)
    expect(drawer).to_be_hidden()


def test_a_chat_that_was_found_on_a_phone_opens_no_keyboard(opened):
    console = opened(**PHONE).sign_in()
    console.new_chat("Plan of the fair")
    page = console.page
    page.get_by_role("button", name="Chats", exact=True).tap()
    page.get_by_label("Search chats").fill("fair")
    page.get_by_role("list", name="Found chats").get_by_role("link").tap()
    expect(page.get_by_role("heading", name="Plan of the fair")).to_be_visible()
    expect(console.composer).to_be_visible()
    expect(console.composer).not_to_be_focused()


def test_a_long_word_in_an_error_goes_beyond_no_edge(opened):
    console = opened(**PHONE).sign_in()
    console.may_say("503")
    console.new_chat("Plan")
    body = {"error": "unavailable", "message": f"{LONG} is away."}
    for path in ("**/api/ai/chat", "**/api/ai/chats/*"):
        console.page.route(path, lambda route: route.fulfill(status=503, json=body))
    console.send("hello")
    expect(console.problem).to_contain_text("is away.")
    assert console.width() == PHONE["viewport"]["width"]
    console.page.get_by_role("button", name="Chats", exact=True).tap()
    console.button("Options of Plan").tap()
    console.page.get_by_role("menuitem", name="Pin").tap()
    expect(console.page.locator(".chats-pane [role=alert]")).to_contain_text("is away.")
    assert console.width() == PHONE["viewport"]["width"]


def test_the_start_of_a_chat_is_not_cut_off_where_the_screen_is_low(opened):
    console = opened(viewport={"width": 680, "height": 400}).sign_in()
    welcome = console.page.locator(".welcome")
    expect(welcome.get_by_role("button")).to_have_count(3)
    assert welcome.evaluate("(box) => box.scrollHeight > box.clientHeight"), "it is too high"
    line = console.page.locator(".welcome-line").bounding_box()
    box = welcome.bounding_box()
    assert line["y"] >= box["y"]


def test_only_a_mouse_is_told_that_it_may_drop_a_file(opened):
    for options, words in (({}, "or drop it here, at most 5 MiB"), (PHONE, "at most 5 MiB")):
        console = opened(**options).sign_in()
        console.open("/#/explorer/drive-upload")
        hint = console.page.locator(".file-actions .hint")
        expect(hint).to_be_visible()
        assert hint.inner_text() == words


LOW_CONTROLS = """() => [...document.querySelectorAll('button, select, textarea, input')]
  .filter((control) => control.type !== 'checkbox')
  .filter((control) => control.checkVisibility() && !control.closest('.canvas'))
  .map((control) => [control.getBoundingClientRect().height, control.outerHTML.slice(0, 120)])
  .filter(([height]) => height < 40)"""


def test_a_finger_meets_each_control(opened):
    console = opened(**PHONE, role="admin").sign_in()
    console.api("POST", "records/tasks", {"title": "Water the plants"})
    Canvas(console).put("Note", "Mail", lines=[("note.text", "mail.text")])
    console.button("Connections").click()
    assert console.page.evaluate(LOW_CONTROLS) == [], "canvas"
    console.show_view("Chat")
    console.ask("add a task: Print the badges")
    console.button("Data").click()
    assert console.page.evaluate(LOW_CONTROLS) == [], "chat with its data"
    console.button("Close data").click()
    for view, part in (VIEWS | {"data": ".collection-link"}).items():
        console.open(f"/#/{view}")
        expect(console.page.locator(part).first).to_be_attached()
        assert console.page.evaluate(LOW_CONTROLS) == [], view
