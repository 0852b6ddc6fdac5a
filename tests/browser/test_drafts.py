"""Half-written forms outlive a reload, and a canvas or collection that is left and opened again."""

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.data_view import panel, show
from tests.browser.held_traffic import first_of
from tests.browser.mail_widget import connect
from tests.browser.office_suite import forget
from tests.services import wait_for

SEARCHES = {
    "Weather": ("City", "Ber"),
    "Places": ("What to look for", "vegetarian fo"),
    "Web search": ("Search the web for", "spring fa"),
    "Image": ("What to show", "A dog in sp"),
}


@pytest.fixture
def canvas(console):
    forget(console)
    return Canvas(console)


def leave_and_return(canvas):
    canvas.saved()
    title = canvas.page.get_by_label("Title of the canvas").input_value()
    canvas.page.locator(".canvas-back").click()
    canvas.page.get_by_role("link", name=title).click()


def is_empty(mail):
    for label in ("To", "Subject", "Message"):
        expect(mail.get_by_label(label)).to_have_value("")


def kept(canvas):
    """What the widgets of the canvas keep, without those that keep nothing."""
    noted = canvas.stored()["io"]["widgets"].values()
    return [one["state"] for one in noted if one.get("state")]


def texts_kept(canvas):
    return [state["draft"]["values"] for state in kept(canvas) if "draft" in state]


def is_kept(canvas, *texts):
    """Until the server has these texts.

    The page says `Saved` also before a widget has told it what was typed.
    """

    def has(text):
        return any(text in values.values() for values in texts_kept(canvas))

    wait_for(lambda: all(map(has, texts)))


def test_a_message_stays_half_written_until_it_is_sent_and_nothing_of_it_comes_back(canvas):
    """Neither what was typed nor what an input has brought."""
    lines = [("note.text", "mail.text"), ("note.text", "weather.city")]
    canvas.put("Note", "Mail", "Weather", lines=lines)
    canvas.frame("Note").get_by_label("Note").fill("Berlin")
    mail = canvas.frame("Mail")
    expect(mail.get_by_label("Message")).to_have_value("Berlin")
    mail.get_by_label("To").fill("cleo@example.com")
    mail.get_by_label("Subject").fill("Spring fair")
    is_kept(canvas, "cleo@example.com", "Spring fair", "Berlin")
    leave_and_return(canvas)
    expect(mail.get_by_label("Subject")).to_have_value("Spring fair")
    canvas.page.reload()
    expect(mail.get_by_label("To")).to_have_value("cleo@example.com")
    expect(mail.get_by_label("Subject")).to_have_value("Spring fair")
    expect(mail.get_by_label("Message")).to_have_value("Berlin")
    mail.get_by_role("button", name="Send").press("Enter")
    connect(canvas, mail)
    expect(mail.get_by_role("status")).to_have_text("Sent to cleo@example.com.")
    is_empty(mail)
    wait_for(lambda: {} in texts_kept(canvas))
    canvas.page.reload()
    weather = canvas.frame("Weather").get_by_text("°").first
    expect(weather).to_be_visible()  # the note's text has come
    mail.get_by_label("Subject").fill("Next")
    wait_for(lambda: {"subject": "Next"} in texts_kept(canvas))  # so what was kept has come
    expect(mail.get_by_label("To")).to_have_value("")
    expect(mail.get_by_label("Message")).to_have_value("")


def test_what_is_typed_stays_and_what_an_input_has_brought_is_replaced_after_a_reload(canvas):
    lines = [("note.text", "mail.text"), ("note.text", "web-search.query")]
    canvas.put("Note", "Mail", *SEARCHES, lines=lines)
    note = canvas.frame("Note").get_by_label("Note")
    message = canvas.frame("Mail").get_by_label("Message")
    fields = {
        text: canvas.frame(name).get_by_label(label) for name, (label, text) in SEARCHES.items()
    }
    note.fill("Bring the badges")
    expect(fields["spring fa"]).to_have_value("Bring the badges")
    for text, field in fields.items():
        field.fill(text)
    is_kept(canvas, "Bring the badges", *fields)
    canvas.page.reload()
    for text, field in fields.items():
        expect(field).to_have_value(text)
    expect(message).to_have_value("Bring the badges")
    note.fill("Bring the key")
    expect(message).to_have_value("Bring the key")
    message.fill("Bring the key,\nand a lamp")
    is_kept(canvas, "Bring the key,\nand a lamp")
    note.fill("Another text")
    expect(fields["spring fa"]).to_have_value("Another text")  # a search is not a text of one's own
    expect(message).to_have_value("Bring the key,\nand a lamp")


def test_a_half_written_event_is_shown_again_and_thrown_away_by_cancel(canvas):
    canvas.put("Calendar")
    calendar = canvas.frame("Calendar")
    calendar.get_by_role("button", name="Connect").click()
    connect(canvas, calendar)
    calendar.get_by_role("button", name="New event").click()
    calendar.get_by_label("Title").fill("Coffee with Cl")
    calendar.get_by_label("Starts").fill("2026-12-01T09:30")
    is_kept(canvas, "Coffee with Cl", "2026-12-01T09:30")
    status = "**/api/integrations/status"
    canvas.page.route(status, lambda route: route.fulfill(json={}))  # else nothing is to be shown
    with canvas.page.expect_response(status):
        canvas.page.reload()
    expect(calendar.get_by_label("Title")).to_have_value("Coffee with Cl")
    expect(calendar.get_by_label("Starts")).to_have_value("2026-12-01T09:30")
    calendar.get_by_label("Title").fill("Coffee with Cleo")
    wait_for(lambda: texts_kept(canvas)[0]["title"] == "Coffee with Cleo")  # the status has come
    expect(calendar.get_by_label("Title")).to_be_visible()
    canvas.page.unroute(status)
    calendar.get_by_role("button", name="Cancel").click()
    expect(calendar.get_by_role("button", name="Show events")).to_be_focused()
    wait_for(lambda: kept(canvas) == [])
    canvas.page.reload()
    expect(calendar.get_by_role("button", name="Show events")).to_be_visible()
    assert kept(canvas) == []


def test_a_half_written_record_stays_until_it_is_made_or_thrown_away(console):
    page = show(console)
    console.button("New task").click()
    page.get_by_label("Title", exact=False).first.fill("Order bad")
    page.reload()
    expect(page.get_by_role("region", name="New task")).to_be_visible()
    title = page.get_by_role("region", name="New task").get_by_label("Title")
    expect(title).to_have_value("Order bad")
    title.fill("Order badges")
    console.button("Create").click()
    expect(page.get_by_role("link", name="Open Order badges")).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="Open Order badges")).to_be_visible()
    expect(page.get_by_role("region", name="New task")).to_have_count(0)
    console.button("New task").click()
    expect(title).to_have_value("")
    title.fill("Never mind")
    console.button("Cancel").click()
    console.button("New task").click()
    expect(title).to_have_value("")


def hold_creates(page):
    """The creates of tasks, which get no answer until the test gives one."""
    held = []
    page.route("**/api/records/tasks", lambda route: held.append(route), times=1)
    return held


def create_held(console, title):
    page = console.page
    console.button("New task").click()
    form = page.get_by_role("region", name="New task")
    form.get_by_label("Title").fill(title)
    held = hold_creates(page)
    with page.expect_request("**/api/records/tasks"):
        console.button("Create").click()
    return form, first_of(held, page)


def titles_of_tasks(console):
    return [one["data"]["title"] for one in console.api("GET", "records/tasks")["records"]]


def test_a_create_that_ends_after_its_form_was_left_closes_the_form_and_is_made_once(console):
    page = show(console)
    form, held = create_held(console, "Order badges")
    show(console, "notes")
    show(console)
    expect(form.get_by_label("Title")).to_have_value("Order badges")
    expect(console.button("Create")).to_be_disabled()
    held.continue_()
    expect(page.get_by_role("link", name="Open Order badges")).to_be_visible()
    expect(form).to_have_count(0)
    page.reload()
    expect(page.get_by_role("link", name="Open Order badges")).to_be_visible()
    expect(form).to_have_count(0)


def test_a_half_written_change_stays_and_tells_what_was_changed_meanwhile(console):
    task = console.api("POST", "records/tasks", {"title": "Order badges"})["recordId"]
    page = show(console, f"tasks/{task}")
    title = panel(page).get_by_label("Title")
    title.fill("Order ten badges")
    page.reload()
    expect(title).to_have_value("Order ten badges")
    expect(panel(page).get_by_text("in the meantime")).to_have_count(0)
    page.goto("about:blank")
    console.api("PATCH", f"records/tasks/{task}", {"title": "Order no badges"})
    show(console, f"tasks/{task}")
    expect(title).to_have_value("Order ten badges")
    expect(panel(page)).to_contain_text("changed to “Order no badges” in the meantime")
    console.button("Save").click()
    expect(panel(page).get_by_role("status")).to_have_text("Saved.")
    page.reload()
    expect(title).to_have_value("Order ten badges")
    expect(console.button("Save")).to_be_disabled()
