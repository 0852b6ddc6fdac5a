"""What people see of the assistant's tool calls: sentences, tables, pictures, questions."""

import re
from datetime import datetime, timedelta

from playwright.sync_api import expect

from tests.browser.office_suite import forget
from tests.services import wait_for

PIXEL = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9cc\0"
    b"\1\0\0\5\0\1\r\n-\xb4\0\0\0\0IEND\xaeB`\x82"
)


def sentences(console):
    return console.answers.last.locator(".call > summary")


def call(console, endpoint, body):
    console.send(f'call integrations.call with {{"endpoint": "{endpoint}", "body": {body}}}')


def allow(console):
    button = console.button("Allow once")
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()
    console.is_idle()


CLICK_AT_FIRST = """() => new MutationObserver(() => {
  if (!document.querySelector('.question')) return;
  window.early ??= new MouseEvent('click', { bubbles: true });
}).observe(document.body, { childList: true, subtree: true })"""


def test_a_click_from_before_the_question_was_seen_allows_nothing(console):
    """A busy page handles it later."""
    console.page.evaluate(CLICK_AT_FIRST)
    call(console, "search-web-raw", '{"query": "brave search"}')
    button = console.button("Allow once")
    expect(button).to_have_attribute("aria-disabled", "false")
    button.evaluate("(button) => button.dispatchEvent(window.early)")
    expect(button).to_have_attribute("aria-disabled", "false")
    kinds = [entry["kind"] for entry in console.api("GET", "credits")["entries"]]
    assert kinds == ["grant"]
    allow(console)


def test_a_question_says_how_much_time_is_left_and_says_it_anew(opened):
    console = opened(alone=True)  # the clock is that of the context
    console.page.clock.install()
    forget(console.sign_in())
    call(console, "search-web-raw", '{"query": "brave search"}')
    question = console.page.get_by_role("group", name="Approval: search-web-raw")
    expect(question).to_contain_text(": 2 minutes left.")  # it is some seconds less
    console.button("Deny").click()
    console.is_idle()
    call(console, "cloudsuite/contacts-list", "{}")
    account = console.page.get_by_role("group", name="Connection: ")
    expect(account).to_contain_text(": 2 minutes left.")
    console.page.get_by_role("link", name="Usage", exact=True).click()
    # No timer fires: a page without a byte for 45 seconds would take the connection as lost.
    console.page.clock.set_system_time(datetime.now() + timedelta(seconds=45))
    console.page.go_back()
    expect(account).to_contain_text(": 1 minute left.")
    console.button("Stop").click()
    console.is_idle()


def test_tasks_are_created_and_changed_in_sentences(console):
    console.ask("add three tasks: Write to Bob, Water the plants, Read the report")
    expect(sentences(console)).to_have_text(["Created 3 tasks"])
    sentences(console).click()
    cells = console.answers.last.get_by_role("cell")
    expect(cells).to_have_text(["Write to Bob", "Water the plants", "Read the report"])
    console.answers.last.get_by_text("Details of “Water the plants”").click()
    expect(console.answers.last.get_by_label("Output", exact=True)).to_contain_text("recordId")
    assert console.violations() == []
    console.page.set_viewport_size({"width": 320, "height": 640})
    assert console.width() <= 320
    console.ask("mark Write to Bob as done")
    changed = "Changed the task “Write to Bob”: done → yes"
    expect(sentences(console)).to_have_text(["Found 1 task", changed])
    opened = console.answers.last.get_by_role("link", name="Open the task")
    expect(opened).to_have_attribute("href", re.compile("^#/data/tasks/rec_"))


def test_twenty_rows_come_on_demand(console):
    for number in range(20):
        console.api("POST", "records/notes", {"title": f"Note {number}"})
    console.ask("show the notes")
    expect(sentences(console)).to_have_text(["Read 20 notes"])
    sentences(console).click()
    rows = console.answers.last.get_by_role("row")
    expect(rows).to_have_count(6)
    console.button("Show all 20").click()
    expect(rows).to_have_count(21)
    expect(console.answers.last.get_by_label("Table of records")).to_be_focused()


def test_a_picture_is_shown_where_it_was_made_and_its_link_is_renewed_when_it_has_ended(console):
    console.page.set_viewport_size({"width": 320, "height": 640})
    call(console, "generate-image-llm", '{"prompt": "a red kite"}')
    expect(console.page.get_by_text("You have 1,000.")).to_be_visible()
    assert console.violations() == []
    allow(console)
    expect(sentences(console)).to_have_text(["Made 1 picture"])
    picture = console.log.get_by_role("img", name="A red kite")
    picture.scroll_into_view_if_needed()  # the log has followed the text behind it
    expect(picture).to_have_js_property("naturalWidth", 64)
    assert (picture.get_attribute("width"), picture.get_attribute("height")) == ("420", "420")
    assert console.violations() == []
    assert console.width() <= 320
    console.page.set_viewport_size({"width": 1280, "height": 800})
    is_renewed(console, picture)


def is_renewed(console, picture):
    """Until a new link is asked for, each request for the picture is refused."""
    console.may_say("Failed to load resource")
    renewals = []
    console.page.route(
        "**/api/media/*?*",
        lambda route: route.continue_() if renewals else route.fulfill(status=401),
    )
    console.page.route("**/api/media/*/link", lambda route: (renewals.append(1), route.continue_()))
    console.page.reload()
    wait_for(lambda: console.page.wait_for_timeout(20) or renewals)
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("naturalWidth", 64)
    console.page.route("**/api/media/**", lambda route: route.fulfill(status=404))
    console.page.reload()
    expect(console.log.get_by_text("It can’t be shown any more.")).to_be_visible()


def test_a_picture_of_another_host_is_loaded_on_a_click(console):
    loaded = []
    picture = {"body": PIXEL, "content_type": "image/png"}
    console.page.route(
        re.compile("^https://"), lambda route: (loaded.append(1), route.fulfill(**picture))
    )
    call(console, "generate-image-seedream", '{"prompt": "a red kite"}')
    allow(console)
    show = console.log.get_by_role("button", name="Show the picture from")
    expect(show).to_be_visible()
    assert loaded == []
    show.click()
    shown = console.log.get_by_role("img", name="A red kite")
    expect(shown).to_have_js_property("naturalWidth", 1)
    assert loaded == [1]


def test_a_question_whose_reply_was_stopped_says_so(console):
    forget(console)
    console.send("mail my first contact the weather in Berlin")
    shown = console.log.get_by_role("group", name="Connection: Cloud suite")
    expect(shown.get_by_role("button", name="Connect")).to_be_visible()
    expect(console.page.get_by_text("Thinking")).to_be_hidden()
    expect(sentences(console).last).to_have_text("Weather in Berlin: 5.4 °C")
    console.button("Stop").click()
    console.is_idle()
    expect(shown).to_contain_text("The reply ended before the account was connected.")
    expect(sentences(console).first).to_have_text("Looking through the address book was not run")
