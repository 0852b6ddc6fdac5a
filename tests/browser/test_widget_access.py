"""Accessibility of the canvas and of the widgets on it: axe, contrast modes, directions, sizes."""

import re
from itertools import combinations

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser import contact_sheet
from tests.browser.canvas import Canvas
from tests.browser.canvas_page import Canvas as Sheet
from tests.browser.canvas_page import violations_in
from tests.browser.office_suite import forget

BEGIN = re.compile("^(Connect|Show contacts)$")
ON_TOP = """(hint, [x, y]) => {
  hint.style.pointerEvents = 'auto';
  const found = document.elementFromPoint(x, y) === hint;
  hint.style.pointerEvents = '';
  return found;
}"""
SHRINK = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.widget-frame { flex: none; width: 240px !important; height: 160px !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""  # noqa: E501
GROW_AGAIN = (
    "() => { document.adoptedStyleSheets = [...document.adoptedStyleSheets].slice(0, -1); }"
)
FITS = """async (page) => {
  while (innerWidth !== 240 || innerHeight !== 160) await new Promise(requestAnimationFrame);
  return page.scrollWidth <= 240 && page.scrollHeight <= 160;
}"""
LONG = "The one slot whose title has as many characters as they may "[:60]


def test_axe_finds_nothing_in_any_state_of_a_canvas(opened):
    console = opened(reduced_motion="reduce").sign_in()
    forget(console)
    canvas = Canvas(console).create()
    is_on_top(console.page.get_by_text("This canvas is empty."))
    assert console.violations() == [], "empty"
    console.page.set_viewport_size({"width": 320, "height": 720})
    console.button("Add widget").click()
    assert console.width() <= 320
    assert console.violations() == [], "gallery"
    console.page.keyboard.press("Escape")
    console.page.set_viewport_size({"width": 1280, "height": 800})
    canvas.saved()
    canvas.store({"widgets": canvas.row("Contacts", "Mail", "Note")})
    expect(canvas.boxes).to_have_count(3)
    expect(console.page.get_by_text("This canvas is empty.")).to_be_hidden()
    canvas.slot("Text output, string, on Note").press("Enter")
    assert console.violations() == [], "connecting"
    canvas.slot("Text input, string, on Mail").press("Enter")
    break_a_connection(canvas)
    assert console.violations() == [], "a broken connection"
    assert canvas.page.evaluate("document.getAnimations().length") == 0
    ask_for_consent(canvas)


def is_on_top(hint: Locator) -> None:
    """A person sees it: nothing of the page lies over its middle."""
    expect(hint).to_be_visible()
    box = hint.bounding_box()
    assert box
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert hint.evaluate(ON_TOP, middle), "covered"


def break_a_connection(canvas: Canvas) -> None:
    """Store one that does not fit, as another client may; its row stays readable."""
    state = canvas.stored()
    [right] = state["io"]["connections"]
    to = {**right["to"], "slotId": "event"}
    state["io"]["connections"].append({**right, "id": "c_wrong", "to": to})
    record = canvas.console.api("GET", "records/canvases")["records"][0]["recordId"]
    canvas.console.api("PATCH", f"records/canvases/{record}", {"io": state["io"]})
    row = canvas.rows.filter(has_text="takes an object")
    expect(row).to_be_visible()
    box = row.locator(".connection-label").bounding_box()
    assert box
    assert box["width"] > 150


def ask_for_consent(canvas: Canvas) -> None:
    console, contacts = canvas.console, canvas.frame("Contacts")
    contacts.get_by_role("button", name=BEGIN).press("Enter")
    expect(console.page.get_by_role("dialog")).to_be_visible()
    assert console.violations() == [], "approval"
    expect(console.button("Allow once")).to_have_attribute("aria-disabled", "false")
    console.button("Allow once").click()
    with console.page.expect_popup() as popup:
        contacts.get_by_role("alert").get_by_role("button", name="Connect").press("Enter")
    expect(console.page.get_by_role("dialog")).to_be_visible()
    assert console.violations() == [], "consent"
    popup.value.close()


def test_the_consent_of_a_widget_alone_passes_axe(opened):
    console = opened().open("/app/contacts")
    forget(console)
    console.page.get_by_role("button", name=BEGIN).click()
    console.page.get_by_label("Sign-in token").fill(console.token)
    assert violations_in([console.page.main_frame], console.page) == [], "sign-in"
    console.button("Sign in").click()
    with console.page.expect_popup() as popup:
        console.page.get_by_role("alert").get_by_role("button", name="Connect").click()
    expect(console.page.get_by_role("dialog")).to_be_visible()
    assert violations_in([console.page.main_frame], console.page) == [], "consent"
    popup.value.close()


def test_every_widget_passes_axe_at_its_start_with_data_and_with_an_error(opened):
    """On one page, because most of such a test is the load of its frames and of axe."""
    console = opened(viewport={"width": 1280, "height": 1220})
    forget(console)
    sheet = contact_sheet.lay_out(Sheet(console))
    starts_without_a_call_and_fits_where_there_is_little_room(sheet)
    contact_sheet.fill(sheet)
    chosen_contact_has_gone_to_three_widgets(sheet)
    assert sheet.violations(*contact_sheet.HEIGHTS) == []
    first = sheet.widget("table").get_by_role("rowheader").first.bounding_box()
    assert first
    assert first["height"] < 40, "one line"
    sheet.widget("mail").get_by_label("Message").fill("The badges are ready.")
    console.may_say("502")
    failure = {"success": False, "error": "upstream_provider_error", "message": "It has failed."}
    console.page.route(
        "**/api/integrations/**", lambda route: route.fulfill(status=502, json=failure)
    )
    for handle, name in contact_sheet.ACTIONS.items():
        widget = sheet.widget(handle)
        widget.get_by_role("button", name=name, exact=True).click()
        expect(widget.get_by_role("alert").first).not_to_be_empty()
    assert sheet.violations(*contact_sheet.ACTIONS) == []


def starts_without_a_call_and_fits_where_there_is_little_room(sheet: Sheet) -> None:
    assert sheet.violations(*contact_sheet.HEIGHTS) == []
    assert (sheet.noted("asked"), sheet.noted("drops")) == ([], [])
    sheet.page.evaluate(SHRINK)
    roots = {handle: sheet.widget(handle).locator("html") for handle in contact_sheet.HEIGHTS}
    assert [handle for handle, root in roots.items() if not root.evaluate(FITS)] == []
    sheet.page.evaluate(GROW_AGAIN)


def chosen_contact_has_gone_to_three_widgets(sheet: Sheet) -> None:
    """A person to mail, their city to the weather, and the weather's days to a chart."""
    contact_sheet.is_full(sheet)
    expect(sheet.widget("weather").get_by_label("City")).to_have_value("Berlin")
    expect(sheet.widget("weather").get_by_text("Feels like")).to_be_visible()
    asked = {"search-web-raw", "search-places", "generate-image-classic"}
    assert {one for one in sheet.noted("asked") if not one.startswith("cloudsuite/")} == asked
    assert sheet.noted("drops") == []


@pytest.fixture
def labelled(opened) -> Canvas:
    """A canvas of two widgets, whose slots all have titles of 60 characters."""
    console = opened()
    console.page.route("**/api/widgets/templates", rename_slots)
    canvas = Canvas(console.sign_in()).create()
    return canvas.add("Contacts", "Mail")


def rename_slots(route: Route) -> None:
    answer = route.fetch()
    body = answer.json()
    for template in body["templates"]:
        for slot in template["slots"]:
            slot["title"] = LONG
    route.fulfill(response=answer, json=body)


def test_slots_are_apart_in_every_direction_contrast_and_size(labelled):
    page, console = labelled.page, labelled.console
    expect(labelled.slot(LONG).first).to_be_visible()
    for direction in ("rtl", "ltr"):
        page.evaluate("(dir) => { document.documentElement.dir = dir; }", direction)
        assert overlaps(labelled) == [], direction
    page.emulate_media(forced_colors="active")
    styles = {kind: border(labelled, kind) for kind in ("input", "output")}
    assert styles == {"input": "solid", "output": "double"}
    page.emulate_media(forced_colors="none")
    # 640 pixels are what zooming to 200 % leaves of 1280.
    for width, height in ((640, 400), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        assert console.width() <= width
        for target in page.locator(".canvas-bar button:visible, .canvas-bar a:visible").all():
            box = target.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 24, target.inner_text()


def border(canvas: Canvas, kind: str) -> str:
    slot = canvas.page.locator(f".slot-{kind}").first
    return slot.evaluate("(slot) => getComputedStyle(slot).borderTopStyle")


def overlaps(canvas: Canvas) -> list[tuple[str, str]]:
    """The pairs of slots, of those of all widgets, that lie over each other."""
    slots = [
        (slot.get_attribute("data-slot-id") or "", slot.bounding_box())
        for slot in canvas.page.locator(".slot").all()
    ]
    return [(one, other) for (one, a), (other, b) in combinations(slots, 2) if touch(a, b)]


def touch(a, b) -> bool:
    across = a["x"] < b["x"] + b["width"] and b["x"] < a["x"] + a["width"]
    return across and a["y"] < b["y"] + b["height"] and b["y"] < a["y"] + a["height"]
