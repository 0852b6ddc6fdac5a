"""The templates of widgets: on a canvas, in real frames with the real host, and alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.canvas_page import Canvas, violations_in
from tests.browser.key_events import LIKE_SAFARI
from tests.browser.office_suite import forget

HANDLES = (
    "calendar", "chart", "contacts", "image", "mail", "note", "places", "table", "weather",
    "web-search",
)  # fmt: skip
# What a widget says that is alone on its page.
ALONE = {
    "weather": "Type a city.",
    "table": "Choose a collection.",
    "chart": "A chart draws the items of another widget. Add it to a canvas.",
}


@pytest.fixture
def canvas(opened) -> Canvas:
    console = opened()
    forget(console)
    return Canvas(console)


def status(widget):
    return widget.get_by_role("status")


def starting(text: str) -> re.Pattern[str]:
    return re.compile(f"^{re.escape(text)}")


def test_a_pressed_button_of_a_widget_has_the_focus_also_where_the_browser_gives_it_none(canvas):
    widget = canvas.put("web-search")
    field = widget.get_by_role("searchbox")
    search = widget.get_by_role("button", name="Search", exact=True)
    field.fill("tides")
    search.click()
    expect(search).to_be_focused()
    widget.locator("html").evaluate("() => { " + LIKE_SAFARI + " }")
    field.click()
    search.click()
    expect(search).to_be_focused()


def test_days_are_written_as_in_the_console_whatever_the_language_of_the_browser(opened):
    canvas = Canvas(opened(locale="de-DE"))
    weather, chart, table = (canvas.put(name) for name in ("weather", "chart", "table"))
    for reader in ("chart", "table"):
        canvas.connect("weather.days", f"{reader}.items")
    weather.get_by_label("City").fill("Berlin")
    weather.get_by_label("City").press("Enter")
    days = weather.get_by_role("list", name="Next days").get_by_role("listitem")
    expect(days).to_contain_text(["Sat", "Sun"])
    marks = chart.get_by_role("list", name="max by date").get_by_role("listitem")
    expect(marks).to_contain_text(["21 Nov", "22 Nov"])
    expect(marks.first).to_contain_text("6.1")
    expect(table.get_by_role("rowheader")).to_have_text(["21 Nov", "22 Nov"])


def test_a_call_that_is_denied_can_be_asked_for_again(canvas):
    canvas.answers("deny")
    widget = canvas.put("places")
    widget.get_by_label("What to look for").fill("vegetarian food")
    widget.get_by_role("button", name="Find").click()
    expect(widget.get_by_role("alert")).to_contain_text("Nothing was sent")
    assert canvas.violations("places") == []
    canvas.answers("once")
    widget.get_by_role("button", name="Ask again").click()
    widget.get_by_role("button", name="Peace Harmony").click()
    expect(status(widget)).to_have_text("Peace Harmony is chosen.")
    assert canvas.noted("asked") == ["search-places"] * 2


def test_an_input_that_would_cost_credits_only_fills_in_the_field(canvas):
    note, search, image = canvas.put("note"), canvas.put("web-search"), canvas.put("image")
    canvas.connect("note.text", "web-search.query")
    canvas.connect("note.text", "image.prompt")
    note.get_by_label("Note").fill("A dog in space")
    expect(search.get_by_label("Search the web for")).to_have_value("A dog in space")
    expect(image.get_by_label("What to show")).to_have_value("A dog in space")
    assert canvas.noted("asked") == []
    image.get_by_role("button", name="Make").click()
    picture = image.get_by_role("img", name="A dog in space")
    expect(picture).to_be_visible()
    expect(status(image)).to_have_text("The picture is ready.")
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")


def test_results_of_a_search_are_chosen_by_keyboard_and_are_a_table_and_a_note(canvas):
    search, table, note = canvas.put("web-search"), canvas.put("table"), canvas.put("note")
    canvas.connect("web-search.items", "table.items")
    canvas.connect("web-search.text", "note.fill")
    field = search.get_by_label("Search the web for")
    field.fill("brave search")
    field.press("Enter")
    expect(table.get_by_role("rowheader")).to_contain_text(["Brave Search"])
    first = search.get_by_role("list", name="Results").get_by_role("button").first
    field.press("Tab")
    search.get_by_role("button", name="Search", exact=True).press("Tab")
    expect(first).to_be_focused()
    first.press("Enter")
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(note.get_by_label("Note")).to_have_value(starting("Brave Search"))
    assert canvas.violations("web-search") == []


def test_the_weather_of_a_typed_city_is_shown_at_once_and_replaces_nothing_in_a_note(canvas):
    note, weather = canvas.put("note"), canvas.put("weather")
    note.get_by_label("Note").fill("My own words")
    canvas.connect("weather.text", "note.fill")
    weather.get_by_label("City").fill("Berlin")
    weather.get_by_label("City").press("Enter")
    days = weather.get_by_role("list", name="Next days").get_by_role("listitem")
    expect(days).to_have_count(2)
    assert canvas.noted("asked") == []
    note.get_by_role("button", name="Add").click()
    expect(note.get_by_label("Note")).to_have_value(starting("My own words\n\nBerlin: "))
    assert canvas.violations("note") == []


def test_a_table_follows_its_collection(canvas):
    create = canvas.console.api
    create("POST", "records/tasks", {"title": "Read"})
    table = canvas.put("table")
    table.get_by_label("Collection").select_option("tasks")
    titles = table.get_by_role("rowheader")
    expect(titles).to_have_text(["Read"])
    expect(titles.get_by_role("button")).to_have_css("unicode-bidi", "plaintext")
    made = create("POST", "records/tasks", {"title": "Write", "done": True})
    expect(titles).to_have_text(["Read", "Write"])
    table.get_by_role("button", name="title").click()
    table.get_by_role("button", name="title").click()
    expect(titles).to_have_text(["Write", "Read"])
    canvas.console.api_text("DELETE", f"records/tasks/{made['recordId']}")
    expect(titles).to_have_text(["Read"])
    assert canvas.violations("table") == []


def test_a_new_event_stands_in_the_calendar_and_an_event_becomes_a_message(canvas):
    calendar, mail = canvas.put("calendar"), canvas.put("mail")
    canvas.connect("calendar.event", "mail.event")
    calendar.get_by_role("button", name="Connect").click()
    expect(calendar.get_by_role("alert")).to_contain_text("access to your cloudsuite account")
    assert canvas.violations("calendar") == [], "the request for a consent"
    canvas.allow_at(calendar.get_by_role("alert").get_by_role("button", name="Connect"))
    calendar.get_by_role("button", name="New event").click()
    assert canvas.violations("calendar") == [], "the form"
    calendar.get_by_label("Title").fill("Coffee with Cleo")
    calendar.get_by_role("button", name="Save").click()
    expect(calendar.get_by_role("button", name="Coffee with Cleo").first).to_be_visible()
    expect(status(calendar)).to_have_text("Coffee with Cleo is in your calendar.")
    calendar.get_by_role("button", name="Visit to the printer").click()
    expect(mail.get_by_label("Subject")).to_have_value("Visit to the printer")
    expect(mail.get_by_label("Message")).to_have_value(starting("Visit to the printer\n"))
    mail.get_by_label("To").fill("cleo@example.com")
    mail.get_by_role("button", name="Send").click()
    canvas.allow_at(mail.get_by_role("alert").get_by_role("button", name="Connect"))
    expect(status(mail)).to_have_text("Sent to cleo@example.com.")
    assert canvas.violations("calendar") == [], "with a chosen event"


def test_each_widget_is_a_page_of_its_own_that_asks_for_no_connection(opened):
    """Their frames are scanned as they start, so these are the pages that say something else."""
    console = opened()
    for handle in HANDLES:
        console.open(f"/app/{handle}")
        expect(console.page.get_by_role("heading", level=1)).to_be_visible()
        expect(console.page.get_by_text("sandbox", exact=True)).to_be_visible()
        if handle in ALONE:
            expect(console.page.locator(".widget-empty")).to_have_text(ALONE[handle])
            assert violations_in([console.page.main_frame], console.page) == [], handle


def test_a_widget_alone_asks_for_a_token_when_it_needs_one(opened):
    console = opened().open("/app/weather")
    console.page.get_by_label("City").fill("Berlin")
    console.page.get_by_label("City").press("Enter")
    console.page.get_by_label("Sign-in token").fill(console.token)
    console.button("Sign in").click()
    expect(console.page.get_by_text("Feels like")).to_be_visible()
    days = console.page.get_by_role("list", name="Next days").bounding_box()
    assert days
    assert days["y"] < 300  # below the weather of today, not at the end of the window


def test_a_table_alone_reads_its_collection(opened):
    console = opened()
    console.api("POST", "records/tasks", {"title": "Read"})
    console.open("/app/table")
    console.page.get_by_label("Collection").select_option("tasks")
    console.page.get_by_label("Sign-in token").fill(console.token)
    console.button("Sign in").click()
    expect(console.page.get_by_role("rowheader")).to_have_text(["Read"])


def test_a_note_keeps_what_was_typed_just_before_its_page_was_left(opened):
    page = opened().open("/app/note").page
    page.get_by_label("Note").fill("Last words")
    page.reload()
    expect(page.get_by_label("Note")).to_have_value("Last words")


def test_who_signs_in_on_the_page_of_a_widget_sees_nothing_of_the_user_before(opened):
    bob = opened()
    console = opened().open("/app/weather")
    page, asked = console.page, []
    console.may_say("401")
    city, token = page.get_by_label("City"), page.get_by_label("Sign-in token")
    shown = page.get_by_text("Feels like")
    city.fill("Berlin")
    city.press("Enter")
    token.fill(console.token)
    console.button("Sign in").click()
    expect(shown).to_be_visible()
    refusal = {"success": False, "error": "unauthorized", "message": "The token has expired."}
    page.route("**/api/integrations/**", lambda route: route.fulfill(status=401, json=refusal))
    console.button("Show").click()
    console.button("Sign in").click()
    page.unroute_all()
    page.on("request", lambda request: asked.append(request.url))
    token.fill(bob.token)
    console.button("Sign in").click()
    expect(page.get_by_text("The page was loaded again")).to_be_visible()
    expect(token).to_be_focused()
    expect(city).to_have_value("")
    expect(shown).to_have_count(0)
    assert not any("/api/" in url for url in asked)
    assert violations_in([page.main_frame], page) == []
    token.fill(bob.token)
    console.button("Sign in").click()
    expect(token).to_have_count(0)
    city.fill("Paris")
    city.press("Enter")
    expect(shown).to_be_visible()
    page.reload()
    expect(page.get_by_text("The page was loaded again")).to_have_count(0)


def test_a_table_alone_asks_for_a_token_below_its_title(opened):
    console = opened().open("/app/table")
    page = console.page
    advice = page.get_by_text("Choose a collection.")
    expect(advice).to_be_visible()
    page.get_by_label("Collection").select_option("tasks")
    field = page.get_by_label("Sign-in token")
    expect(field).to_be_focused()
    expect(advice).to_have_count(0)
    title, asked = page.get_by_role("heading", name="Table").bounding_box(), field.bounding_box()
    assert title
    assert asked
    assert title["y"] < asked["y"]
    console.button("Cancel").click()
    expect(advice).to_be_visible()
