"""Widgets on the console's canvas call endpoints: approval, consent, and what the server notes."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.held_traffic import first_of
from tests.browser.mail_widget import MAIL, approve, connect, header_of_requests, write_and_send
from tests.browser.office_suite import allow, forget


@pytest.fixture
def canvas(console):
    forget(console)
    return Canvas(console)


def test_a_message_waits_for_the_account_and_is_sent_once_though_its_answer_is_lost(canvas):
    canvas.put("Mail")
    allowed, keys = (
        header_of_requests(canvas, MAIL),
        header_of_requests(canvas, MAIL, "idempotency-key"),
    )
    mail = canvas.frame("Mail")
    write_and_send(mail, "First")
    connect(canvas, mail)
    expect(mail.get_by_role("status")).to_have_text("Sent to cleo@example.com.")
    expect(canvas.page.get_by_role("dialog")).to_have_count(0)
    assert allowed == ["once", "once"]

    lost = lose_the_answer(canvas, mail)
    with canvas.page.expect_response(f"**{MAIL}") as again:
        mail.get_by_role("alert").get_by_role("button", name="Try again").click()
        approve(canvas)
    expect(mail.get_by_label("Subject")).to_have_value("Typed meanwhile")
    expect(mail.get_by_label("Message")).to_have_value("")
    assert again.value.json()["data"]["id"] == lost["data"]["id"]
    assert [len(keys), len(set(keys))] == [4, 2]
    assert keys[2] == keys[3]


def lose_the_answer(canvas, mail):
    """Send a message whose answer does not come back; returns the answer."""
    canvas.console.may_say("ERR_FAILED")
    held = []
    canvas.page.route(f"**{MAIL}", lambda route: held.append(route), times=1)
    with canvas.page.expect_request(f"**{MAIL}"):
        write_and_send(mail, "Second")
        approve(canvas)
    expect(mail.get_by_role("button", name="Send")).to_be_disabled()
    mail.get_by_label("Subject").fill("Typed meanwhile")
    route = first_of(held, canvas.page)
    answer = route.fetch().json()
    route.abort()
    return answer


def test_where_the_window_is_blocked_the_canvas_shows_a_link(canvas):
    canvas.put("Calendar")
    canvas.page.evaluate("window.open = () => null")
    calendar = canvas.frame("Calendar")
    calendar.get_by_role("button", name="Connect").click()
    approve(canvas)
    calendar.get_by_role("alert").get_by_role("button", name="Connect").click()
    with canvas.page.context.expect_page() as opened:
        canvas.page.get_by_role("link", name="Open the page").click()
    allow(opened.value)
    expect(calendar.get_by_role("button", name="Visit to the printer")).to_be_visible()


def test_the_server_notes_how_each_call_was_allowed(canvas):
    canvas.put("Web search", "Weather")
    sent = header_of_requests(canvas, "/api/integrations/current-weather")
    search, weather = canvas.frame("Web search"), canvas.frame("Weather")
    weather.get_by_label("City").fill("Berlin")
    weather.get_by_label("City").press("Enter")
    expect(weather.get_by_text("Feels like")).to_be_visible()
    assert set(sent) == {"auto"}  # twice if the settings came behind the first
    search.get_by_label("Search the web for").fill("brave search")
    for answer in ("Allow once", "Allow until this page closes", ""):
        with canvas.page.expect_response(re.compile(r"/search-web-raw\b")):
            search.get_by_role("button", name="Search", exact=True).click()
            if answer:
                approve(canvas, answer)
    entries = canvas.console.api("GET", "credits")["entries"]
    assert [one["facts"].get("approval") for one in entries][:3] == ["session", "session", "once"]


def test_questions_of_widgets_end_when_their_canvas_is_left(canvas):
    canvas.put("Mail", "Calendar")
    sent, dialog = header_of_requests(canvas, MAIL), canvas.page.get_by_role("dialog")
    write_and_send(canvas.frame("Mail"), "First")
    expect(dialog).to_contain_text("Mail")
    canvas.frame("Calendar").get_by_role("button", name="Connect").dispatch_event("click")
    canvas.page.evaluate("location.hash = '#/usage'")
    expect(canvas.page.get_by_role("heading", name="Usage")).to_be_visible()
    expect(dialog).to_have_count(0)
    canvas.page.go_back()
    write_and_send(canvas.frame("Mail"), "Second")
    expect(dialog).to_contain_text("Mail")
    assert sent == []
