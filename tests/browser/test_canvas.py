"""The canvas: widgets in their places, connections between them, the same for every tab."""

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.services import wait_for

PERSON = "Person output, object, on Contacts"
TO = "To input, object, on Mail"
CONNECTED = ("contacts.person", "mail.person")


@pytest.fixture
def canvas(console):
    return Canvas(console).create()


def test_widgets_are_connected_by_keyboard_stay_so_and_are_undone(canvas):
    canvas.add("Contacts", "Mail")
    canvas.connect(PERSON, TO)
    expect(canvas.rows).to_have_text(["Person of Contacts to To of Mail"])
    expect(canvas.lines).to_have_count(1)
    [connection] = canvas.stored()["io"]["connections"]
    assert (connection["from"]["slotId"], connection["to"]["slotId"]) == ("person", "person")
    canvas.page.reload()
    expect(canvas.boxes).to_have_count(2)
    expect(canvas.rows).to_have_count(1)
    expect(canvas.lines).to_have_attribute("data-state", "live")
    canvas.page.get_by_role("button", name="Remove Mail").click()
    expect(canvas.boxes).to_have_count(1)
    expect(canvas.rows).to_have_count(0)
    canvas.page.keyboard.press("Control+z")
    expect(canvas.boxes).to_have_count(2)
    expect(canvas.rows).to_have_count(1)
    canvas.page.keyboard.press("Control+Shift+z")
    expect(canvas.boxes).to_have_count(1)


def test_a_search_for_a_widget_finds_its_name_first_and_enter_adds_it(canvas):
    canvas.console.button("Add widget").click()
    field = canvas.page.get_by_label("Search the widgets")
    field.press("Enter")  # adds nothing
    field.fill("weather")
    names = canvas.page.locator(".gallery-card:visible .gallery-name")
    expect(names.first).to_have_text("Weather")
    assert names.count() > 1  # others have it in their summary
    field.press("Enter")
    expect(canvas.boxes).to_have_count(1)
    expect(canvas.grip("Weather")).to_be_visible()


def test_what_is_taken_away_is_said_and_the_focus_is_never_lost(console):
    canvas = Canvas(console).put("Contacts", "Mail", "Note", lines=[CONNECTED])
    said = canvas.page.locator("#announcer")
    canvas.rows.get_by_role("button").press("Enter")
    expect(said).to_have_text("Disconnected Person of Contacts to To of Mail.")
    expect(canvas.page.locator(":focus")).to_have_count(1)
    canvas.grip("Note").press("Delete")
    expect(said).to_have_text("Removed Note.")
    expect(canvas.grip("Mail")).to_be_focused()
    canvas.page.keyboard.press("Control+a")
    canvas.page.keyboard.press("Delete")
    expect(said).to_contain_text("Removed 2 widgets.")  # and maybe what was chosen
    expect(canvas.page.locator(":focus")).to_have_count(1)


def test_a_widget_is_dragged_over_frames_and_moved_by_keys(console):
    canvas = Canvas(console).put("Contacts", "Note")
    before = canvas.stored()["widgets"][1]
    grip = canvas.page.get_by_role("group", name="Note")
    box = grip.bounding_box()
    mouse = canvas.page.mouse
    mouse.move(box["x"] + 20, box["y"] + 10)
    mouse.down()
    mouse.move(box["x"] - 200, box["y"] + 90, steps=8)
    mouse.up()
    expect(canvas.console.button("Undo")).to_be_enabled()
    dragged = canvas.stored()["widgets"][1]
    assert (dragged["x"] < before["x"], dragged["y"] > before["y"]) == (True, True)
    grip.press("ArrowRight")
    grip.press("Shift+ArrowDown")
    moved = canvas.stored()["widgets"][1]
    assert (moved["x"], moved["y"]) == (dragged["x"] + 16, dragged["y"] + 64)


def test_a_connection_is_drawn_with_the_mouse_and_refused_in_words_where_it_does_not_fit(console):
    canvas = Canvas(console).put("Contacts", "Mail")
    canvas.slot(PERSON).press("Enter")
    expect(canvas.slot("Text input")).to_have_attribute("aria-disabled", "true")
    canvas.slot("Text input").press("Enter")
    expect(canvas.page.locator("#announcer")).to_contain_text("Text")
    canvas.page.keyboard.press("Escape")
    expect(canvas.slot(PERSON)).to_have_attribute("aria-pressed", "false")
    expect(canvas.rows).to_have_count(0)
    start, end = (canvas.slot(name).bounding_box() for name in (PERSON, TO))
    mouse = canvas.page.mouse
    mouse.move(start["x"] + 8, start["y"] + 8)
    mouse.down()
    mouse.move(end["x"] + end["width"] - 8, end["y"] + 8, steps=6)
    mouse.up()
    expect(canvas.rows).to_have_count(1)


def test_a_text_goes_from_one_widget_to_another(console):
    canvas = Canvas(console).put("Note", "Mail", lines=[("note.text", "mail.text")])
    text = canvas.frame("Note").get_by_role("textbox").first
    text.fill("Bring the badges")
    message = canvas.frame("Mail").get_by_label("Message")
    expect(message).to_have_value("Bring the badges")
    switch = canvas.page.get_by_label("Pass values from Text of Note to Text of Mail")
    switch.uncheck()
    expect(canvas.lines).to_have_attribute("data-state", "off")
    switch.press("Control+z")
    expect(switch).to_be_checked()
    switch.press("Control+Shift+z")
    expect(canvas.lines).to_have_attribute("data-state", "off")
    text.fill("Leave the badges")
    assert canvas.stored()["io"]["connections"][0]["enabled"] is False
    assert message.input_value() == "Bring the badges"
    switch.check()
    expect(canvas.lines).to_have_attribute("data-state", "live")
    expect(message).to_have_value("Leave the badges")


def test_a_canvas_is_deleted_from_the_list(canvas):
    canvas.saved()
    canvas.page.locator("main").get_by_role("link", name="Canvases").click()
    canvas.page.reload()  # so nothing of other pages is loaded
    canvas.page.get_by_role("button", name="Delete Canvas 1").click()
    canvas.console.button("Delete").click()
    expect(canvas.page.get_by_text("No canvases yet.")).to_be_visible()
    expect(canvas.console.button("New canvas")).to_be_focused()


def test_several_widgets_are_chosen_moved_and_removed_together(console):
    canvas = Canvas(console).put("Contacts", "Note", "Mail", lines=[CONNECTED])
    start = {one["templateHandle"]: (one["x"], one["y"]) for one in canvas.stored()["widgets"]}
    canvas.grip("Contacts").click()
    canvas.grip("Mail").click(modifiers=["Shift"])
    expect(canvas.page.locator("#announcer")).to_have_text("2 widgets are chosen.")
    canvas.grip("Mail").press("Shift+ArrowDown")
    canvas.drag(canvas.grip("Contacts"), 0, 300)
    now = {one["templateHandle"]: (one["x"], one["y"]) for one in canvas.stored()["widgets"]}
    assert now["note"] == start["note"]
    moved = {now[one][1] - start[one][1] for one in ("contacts", "mail")}
    assert len(moved) == 1
    assert moved.pop() > 64
    canvas.grip("Mail").press("Delete")
    expect(canvas.boxes).to_have_count(1)
    expect(canvas.grip("Note")).to_be_focused()
    canvas.page.keyboard.press("Control+z")
    expect(canvas.boxes).to_have_count(3)
    expect(canvas.lines).to_have_count(1)


def test_an_area_with_shift_chooses_and_escape_chooses_none(console):
    canvas = Canvas(console).put("Contacts", "Mail")
    box = canvas.page.locator(".canvas").bounding_box()
    canvas.page.keyboard.down("Shift")
    canvas.drag_from(box["x"] + 4, box["y"] + 4, box["width"] - 8, box["height"] - 8)
    canvas.page.keyboard.up("Shift")
    expect(canvas.chosen).to_have_count(2)
    canvas.page.keyboard.press("Escape")
    expect(canvas.chosen).to_have_count(0)
    canvas.grip("Mail").press("Control+a")
    expect(canvas.chosen).to_have_count(2)
    before = canvas.boxes.first.bounding_box()
    canvas.drag_from(box["x"] + 4, box["y"] + 4, 40, 30)
    after = canvas.boxes.first.bounding_box()
    assert (after["x"] - before["x"], after["y"] - before["y"]) == (40, 30)


def test_a_line_shows_what_a_dragged_widget_is_aligned_with(console):
    canvas = Canvas(console).put("Contacts", "Mail")
    guides = canvas.page.locator(".canvas-guide:visible")
    canvas.drag(canvas.grip("Mail"), 30, 4, drop=False)
    expect(guides).to_have_count(1)
    moving = canvas.page.locator("article.shape.moving")  # has a layer of its own
    expect(moving).to_have_css("will-change", "transform")
    expect(canvas.page.locator(".canvas-lines")).to_have_css("will-change", "transform")
    top = canvas.boxes.first.bounding_box()["y"]
    assert abs(guides.bounding_box()["y"] - top) < 2
    canvas.page.mouse.up()
    expect(guides.or_(moving)).to_have_count(0)
    contacts, mail = canvas.stored()["widgets"]
    assert contacts["y"] == mail["y"]


def test_a_setting_of_a_widget_reaches_it_and_is_taken_back_by_undo(console):
    canvas = Canvas(console).put("Weather", "Chart", lines=[("weather.days", "chart.items")])
    weather, chart = canvas.frame("Weather"), canvas.frame("Chart")
    weather.get_by_label("City").fill("Berlin")
    weather.get_by_label("City").press("Enter")
    bars = chart.get_by_role("list", name="max by date")
    expect(bars).to_be_visible()
    canvas.console.button("Settings of Chart").click()
    dialog = canvas.page.get_by_role("dialog", name="Settings of Chart")
    assert canvas.console.violations() == []
    dialog.get_by_label("Most items").fill("1")
    dialog.get_by_label("Kind").select_option("line")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("Must be at least 2.")).to_be_visible()
    dialog.get_by_label("Most items").fill("20")
    dialog.get_by_role("button", name="Save").click()
    expect(chart.locator("figure")).to_be_visible()
    assert canvas.stored()["widgets"][1]["settings"] == {"kind": "line", "most": 20}
    expect(canvas.console.button("Settings of Chart")).to_be_focused()
    canvas.console.button("Undo").click()
    expect(bars).to_be_visible()


def test_a_widget_far_outside_is_loaded_when_it_comes_near_and_gets_its_input(console):
    canvas = Canvas(console).put("Note", "Mail", lines=[("note.text", "mail.text")])
    canvas.frame("Note").get_by_role("textbox").first.fill("Bring the badges")
    expect(canvas.frame("Mail").get_by_label("Message")).to_have_value("Bring the badges")
    wait_for(lambda: "Bring the badges" in texts_of(canvas))
    widgets = canvas.stored()["widgets"]
    widgets[1]["x"] += 60_000
    canvas.store({"widgets": widgets})
    canvas.page.reload()
    expect(canvas.boxes).to_have_count(2)
    expect(canvas.frame("Note").get_by_role("textbox").first).to_have_value("Bring the badges")
    expect(canvas.page.locator("iframe")).to_have_count(1)
    canvas.grip("Mail").press("ArrowRight")
    expect(canvas.frame("Mail").get_by_label("Message")).to_have_value("Bring the badges")


def texts_of(canvas):
    """What the server keeps of notes; the page says `Saved` also before a widget tells its text."""
    widgets = canvas.stored()["io"]["widgets"].values()
    return [one.get("state", {}).get("text") for one in widgets]


def test_the_view_moves_to_a_new_widget_with_its_slots(canvas):
    canvas.page.set_viewport_size({"width": 1280, "height": 800})
    view = canvas.page.locator(".canvas").bounding_box()
    assert view
    for name in ("Note", "Calendar", "Chart", "Image"):
        canvas.choose(name)
        slots = canvas.boxes.filter(has=canvas.grip(name)).locator(".slot")
        for box in [slot.bounding_box() for slot in slots.all()]:
            assert box
            assert view["x"] <= box["x"] <= view["x"] + view["width"] - box["width"], name
