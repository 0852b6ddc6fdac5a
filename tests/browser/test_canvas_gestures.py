"""The canvas under fingers, a wheel, and keys that move between regions."""

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.touch import Touch
from tests.services import wait_for


@pytest.fixture
def canvas(console):
    return Canvas(console).put("Note", "Mail")


def camera(canvas):
    """Where the canvas's origin is in the view, and the zoom."""
    matrix = "new DOMMatrix(getComputedStyle(document.querySelector('.canvas-surface')).transform)"
    return tuple(canvas.page.evaluate(f"(({{e, f, a}}) => [e, f, a])({matrix})"))


def empty_place(canvas):
    """A point of the page with nothing but the canvas."""
    box = canvas.page.get_by_role("region", name="Canvas", exact=True).bounding_box()
    return box["x"] + 30, box["y"] + 30


def becomes(canvas, expected):
    def near():
        return all(abs(a - b) < 1 for a, b in zip(camera(canvas), expected, strict=True))

    wait_for(lambda: canvas.page.wait_for_timeout(20) or near())


def test_one_finger_pans_and_moves_widgets_and_two_zoom(canvas):
    touch, (x, y) = Touch(canvas.page), empty_place(canvas)
    left, top, zoom = camera(canvas)
    touch.drag((x, y), (x + 60, y + 40))
    becomes(canvas, (left + 60, top + 40, zoom))
    before = canvas.stored()["widgets"][0]
    grip = canvas.grip("Note").bounding_box()
    start = (grip["x"] + 20, grip["y"] + 10)
    touch.drag(start, (start[0] + 90, start[1] + 200))
    expect(canvas.console.button("Undo")).to_be_enabled()
    moved = canvas.stored()["widgets"][0]
    assert (moved["x"] > before["x"], moved["y"] > before["y"]) == (True, True)
    touch.down((x, y))
    touch.down((x, y), (x + 20, y))
    touch.move((x, y), (x + 40, y))
    wait_for(lambda: canvas.page.wait_for_timeout(20) or abs(camera(canvas)[2] - 2 * zoom) < 0.01)
    touch.lift((x, y))
    zoomed = camera(canvas)
    touch.move((x + 30, y))
    touch.lift()
    assert camera(canvas) == zoomed, "the finger that is left neither zooms back nor drags"
    assert canvas.stored()["widgets"][0] == moved


def test_a_second_finger_cancels_a_drag(canvas):
    touch, (x, y) = Touch(canvas.page), empty_place(canvas)
    grip = canvas.grip("Note").bounding_box()
    before, stored = canvas.boxes.first.get_attribute("style"), canvas.stored()["widgets"][0]
    start = (grip["x"] + 20, grip["y"] + 10)
    touch.down(start)
    touch.move((start[0] + 50, start[1] + 50))
    expect(canvas.boxes.first).not_to_have_attribute("style", before)
    touch.down((start[0] + 50, start[1] + 50), (x, y))
    expect(canvas.boxes.first).to_have_attribute("style", before)
    touch.lift()
    assert canvas.stored()["widgets"][0]["y"] == stored["y"]


def test_a_drag_ends_when_another_tab_removes_its_widget(console):
    canvas = Canvas(console).put("Note", "Contacts")
    dragging = canvas.page.locator(".canvas.dragging")
    canvas.drag(canvas.grip("Note"), 40, 40, drop=False)
    expect(dragging).to_have_count(1)
    canvas.store({"widgets": canvas.row("Contacts")})
    expect(canvas.boxes).to_have_count(1)
    canvas.page.mouse.move(500, 500)
    expect(dragging).to_have_count(0)
    canvas.page.mouse.up()
    assert [one["id"] for one in canvas.stored()["widgets"]] == ["contacts"]


def test_the_wheel_pans_and_zooms_over_the_canvas_and_over_frames(canvas):
    mouse, (x, y) = canvas.page.mouse, empty_place(canvas)
    left, top, zoom = camera(canvas)
    mouse.move(x, y)
    mouse.wheel(0, 40)
    becomes(canvas, (left, top - 40, zoom))
    expect(canvas.page.locator(".canvas.wheeling")).to_have_count(0)
    canvas.frame("Note").get_by_role("textbox").first.hover()  # once it takes the pointer
    mouse.wheel(30, 0)
    becomes(canvas, (left - 30, top - 40, zoom))
    canvas.page.keyboard.down("Control")
    mouse.wheel(0, -150)
    canvas.page.keyboard.up("Control")
    wait_for(lambda: canvas.page.wait_for_timeout(20) or camera(canvas)[2] > 1.5 * zoom)
    assert canvas.page.evaluate("visualViewport.scale") == 1


def test_a_frame_that_scrolls_keeps_the_wheel_also_of_right_to_left_text(canvas):
    """Whose place is counted from the right: 0 at the beginning, and below."""
    note = canvas.frame("Note").get_by_role("textbox").first
    note.fill("line\n" * 200)
    note.evaluate("(field) => { field.scrollTop = 0; }")
    before = camera(canvas)
    note.hover()
    canvas.page.mouse.wheel(0, 60)
    wait_for(lambda: note.evaluate("(field) => field.scrollTop") > 0)
    assert camera(canvas) == before
    note.evaluate("(field) => { field.style.whiteSpace = 'pre'; }")
    note.fill("שלום " * 200)
    note.evaluate("(field) => { field.scrollLeft = 0; }")
    canvas.page.mouse.wheel(-60, 0)
    wait_for(lambda: note.evaluate("(field) => field.scrollLeft") < 0)
    assert camera(canvas) == before


def test_f6_moves_between_the_regions_and_out_of_a_widget(canvas):
    page = canvas.page
    at = "document.activeElement.closest('nav, .canvas-tools, .canvas, .connections-of-canvas')"
    here = f"() => {at}.classList[0]"
    canvas.grip("Mail").focus()
    canvas.console.button("Add widget").focus()
    page.keyboard.press("F6")
    assert page.evaluate(here).startswith("canvas")
    expect(canvas.grip("Mail")).to_be_focused()  # as when the canvas was left
    canvas.frame("Note").get_by_role("textbox").first.focus()
    page.keyboard.press("F6")
    wait_for(lambda: "connections" in page.evaluate(here))
    page.keyboard.press("F6")
    assert page.evaluate(here) == "menu"
    page.keyboard.press("Shift+F6")
    page.keyboard.press("Control+F6")
    page.keyboard.press("F6")
    expect(canvas.console.button("Add widget")).to_be_focused()


# Notes what has had the focus: a frame hands it on some time after the key has ended.
NOTE_FOCUS = """() => {
  window.reached = [];
  addEventListener('focusin', ({ target }) => reached.push(target.getAttribute('aria-label')));
}"""


def test_tab_leaves_a_widget_and_reaches_what_comes_after(canvas):
    canvas.page.evaluate(NOTE_FOCUS)
    canvas.frame("Note").get_by_role("textbox").first.focus()
    for _ in range(40):
        canvas.page.keyboard.press("Tab")
    after = {"Resize Note", "Mail", "Resize Mail"}
    wait_for(lambda: after <= set(canvas.page.evaluate("reached")))


TURN = """(_, [delta, pause]) => {
  const wheel = { deltaX: delta, deltaY: delta, clientX: 40, clientY: 20 };
  const event = () => new WheelEvent('wheel', { ...wheel, bubbles: true, cancelable: true });
  const turn = () => document.body.dispatchEvent(event());
  globalThis.turning = pause ? setInterval(turn, pause) : turn();
}"""
PLACES_AFTER_A_PRESS = """async () => {
  const surface = document.querySelector('.canvas-surface');
  const places = new Set();
  surface.parentElement.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  const end = performance.now() + 250;
  while (performance.now() < end) {
    places.add(getComputedStyle(surface).transform);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return places.size;
}"""


def test_a_widget_moves_the_canvas_a_little_and_not_after_a_press(canvas):
    left, top, zoom = camera(canvas)
    body = canvas.frame("Mail").locator("body")
    body.evaluate(TURN, [1e9, 0])
    becomes(canvas, (left - 400, top - 400, zoom))
    canvas.console.button("Show all").click()
    expect(canvas.page.locator("iframe").last).to_be_in_viewport()
    body.evaluate(TURN, [0.5, 20])
    assert canvas.page.evaluate(PLACES_AFTER_A_PRESS) == 1
    body.evaluate("() => clearInterval(turning)")
