"""What a canvas says when it can't be read, or when the server does not store it."""

import re
import sqlite3
from contextlib import closing

from playwright.sync_api import expect
from sqlalchemy.engine import make_url

from tests.browser.canvas import Canvas
from tests.browser.watched_page import WATCH

TEMPLATES = re.compile("/api/widgets/templates")
LIST = re.compile(r"/api/records/canvases\?")
RECORD = re.compile("/api/records/canvases/rec_")
REFUSAL = {"status": 500, "json": {"error": "internal_error", "message": "Out of order."}}


def test_a_canvas_that_can_not_be_read_shows_its_error_alone(console):
    canvas = Canvas(console).create()
    console.may_say("500")
    canvas.page.route(TEMPLATES, lambda route: route.fulfill(**REFUSAL))
    canvas.page.reload()
    expect(canvas.page.locator(".live-word")).to_have_text("Live")  # it would try again by itself
    main = canvas.page.get_by_role("main")
    expect(main.get_by_role("alert")).to_contain_text("Out of order.")
    expect(main.get_by_text("Loading…")).to_have_count(0)
    assert console.violations() == []
    canvas.page.unroute(TEMPLATES)
    console.button("Try again").click()
    expect(console.button("Add widget")).to_be_enabled()
    expect(main.get_by_role("alert")).to_be_hidden()


def test_a_canvas_that_was_never_read_has_nothing_to_discard(opened):
    console = opened(sockets=True).sign_in()
    canvas = Canvas(console).create()
    console.may_say("403|500|WebSocket")
    canvas.page.route(RECORD, lambda route: route.fulfill(**{**REFUSAL, "status": 403}))
    canvas.page.route(LIST, lambda route: route.fulfill(**REFUSAL))
    canvas.page.route_web_socket(re.compile("/api/records/socket"), lambda line: line.close())
    canvas.page.reload()
    expect(canvas.page.locator(".canvas-phase")).to_have_text("Not loaded")
    trouble = canvas.page.locator(".canvas-trouble:visible")
    expect(trouble).to_contain_text("Out of order.")
    expect(console.button("Discard my changes")).to_be_hidden()
    canvas.page.unroute(RECORD)
    trouble.get_by_role("button", name="Try again").click()
    canvas.saved()


def test_a_refusal_names_the_widget_whose_stored_data_is_wrong(console):
    canvas = Canvas(console).put("Note", "Weather")
    canvas.saved()
    widen_the_last(canvas)
    canvas.page.reload()
    console.may_say("400")
    canvas.grip("Note").press("ArrowDown")
    trouble = canvas.page.locator(".canvas-trouble:visible")
    expect(trouble).to_contain_text("This canvas is not stored. Weather (width): Must be")
    assert console.violations() == []
    canvas.grip("Weather").press("Delete")
    canvas.saved()
    expect(trouble).to_have_count(0)


def widen_the_last(canvas):
    """Store what the checks of this version refuse, as an earlier one might have."""
    record = canvas.console.api("GET", "records/canvases")["records"][0]
    width = record["data"]["widgets"][-1]["width"]
    file = make_url(canvas.console.service.database_url).database
    assert file
    with closing(sqlite3.connect(file, timeout=10)) as database, database:
        wider = "json_replace(data, '$.widgets[1].width', ?)"
        change = f"update records set data = {wider} where record_id = ?"
        assert database.execute(change, [width * 1000, record["recordId"]]).rowcount == 1


def test_a_screen_reader_hears_that_a_canvas_is_stored_only_after_a_failure(console):
    canvas = Canvas(console).put("Note")
    canvas.saved()
    canvas.page.evaluate(WATCH)
    console.may_say("500")
    grip = canvas.grip("Note")
    for _ in range(2):
        with canvas.page.expect_response(RECORD):
            grip.press("ArrowDown")
        canvas.saved()
    assert canvas.page.evaluate("window.announcements") == []
    canvas.page.route(RECORD, lambda route: route.fulfill(**REFUSAL), times=1)
    grip.press("ArrowDown")
    canvas.saved()
    assert canvas.page.evaluate("window.announcements") == ["Out of order.", "Saved"]
