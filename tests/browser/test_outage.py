"""The server becomes unreachable and returns: the messages about it disappear."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.explorer import Explorer
from tests.browser.page_connection import Line
from tests.services import wait_for

AWAY = "can’t be reached"


@pytest.fixture
def line(opened):
    console = opened(sockets=True)
    console.may_say("WebSocket|ERR_FAILED")
    line = Line(console.page)
    line.install()
    console.sign_in()
    expect(live(console)).to_have_text("Live")
    return console, line


def live(console):
    return console.page.locator(".live-word")


def test_the_messages_about_an_outage_disappear_after_it_and_a_page_that_was_opened_comes(line):
    console, line = line
    amount = console.page.locator(".credits .amount")
    expect(amount).to_have_text("1,000")  # else its answer may come after the cut
    console.page.route("**/browser/*/usage/*", line._request)
    line.cut()
    expect(live(console)).to_have_text("Not live")
    console.button("Try now").click()
    messages = console.page.get_by_text(AWAY)
    expect(messages).to_have_count(1)  # not one for each list
    expect(amount).to_have_text("1,000")
    expect(console.page.locator(".credits")).to_have_attribute("title", re.compile("left at"))
    console.show_view("Usage")
    expect(console.page.get_by_text("This page can’t be loaded")).to_be_visible()
    console.button("Try now").focus()
    line.up = True
    console.page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(live(console)).to_have_text("Live")
    expect(console.page.get_by_role("heading", name="Usage")).to_be_visible()
    expect(messages).to_have_count(0)
    expect(console.page.locator("main")).to_be_focused()
    expect(amount).to_have_text("1,000")


def test_the_models_are_read_when_the_service_can_tell_them_again(opened):
    console = opened()
    console.may_say("503")
    page, models = console.page, "**/api/ai/models"
    page.route(models, lambda route: route.fulfill(status=503, json={"error": "unavailable"}))
    console.sign_in()
    picker = page.get_by_label("Model", exact=True)
    expect(picker).to_have_text("Default model")
    expect(live(console)).to_have_text("Live")
    page.unroute(models)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(picker).not_to_have_text("Default model")
    expect(picker).to_have_attribute("title", "")


def test_a_chat_that_could_not_be_read_is_read_when_the_service_is_available_again(console):
    console.may_say("503")
    page, messages = console.page, "**/api/records/ai-messages?*"
    console.ask("count to 2")
    body = {"error": "unavailable", "message": "The database is away."}
    page.route(messages, lambda route: route.fulfill(status=503, json=body))
    page.reload()
    expect(console.problem).to_contain_text("The database is away.")
    expect(live(console)).to_have_text("Live")
    expect(page.locator(".welcome")).to_be_hidden()  # it is the page of a new chat
    page.unroute(messages)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(console.answers).to_have_count(1)
    expect(console.problem).to_be_empty()


def test_a_page_that_has_slept_connects_again(opened):
    console = opened(alone=True)  # the clock is that of the context
    page, sockets = console.page, []
    page.on("websocket", lambda socket: sockets.append(socket))
    page.clock.install()
    console.sign_in()
    expect(live(console)).to_have_text("Live")
    page.clock.run_for("04:00")
    assert len(sockets) == 1
    with page.expect_websocket():
        page.clock.fast_forward("04:00")
    expect(live(console)).to_have_text("Live")


def test_a_canvas_and_the_usage_are_read_when_the_outage_is_over(line):
    console, cut = line
    record = console.api("POST", "records/canvases", {"title": "Plan", "widgets": [], "io": {}})
    console.show_view("Usage")
    numbers = console.page.locator(".usage-problem")
    expect(console.page.locator(".tile").first).to_contain_text("1,000")
    console.show_view("Canvases")  # whose modules are loaded now
    cut.cut()
    expect(live(console)).to_have_text("Not live")
    console.page.evaluate("(id) => { location.hash = `#/canvas/${id}`; }", record["recordId"])
    canvas = console.page.get_by_role("main").get_by_role("alert")
    expect(canvas).to_contain_text("This canvas is not loaded yet.")
    expect(console.page.get_by_text(AWAY)).to_have_count(1)
    cut.up = True
    console.page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(console.button("Add widget")).to_be_enabled()
    cut.cut()
    expect(live(console)).to_have_text("Not live")
    console.page.get_by_label("Title of the canvas").fill("Plan of the fair")
    console.page.keyboard.press("Enter")
    expect(canvas).to_contain_text("Your changes are kept in this tab.")
    expect(console.page.get_by_text(AWAY)).to_have_count(1)
    console.show_view("Usage")
    expect(numbers).to_contain_text("This can’t be loaded now. The numbers are those of")
    cut.up = True
    console.page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(numbers).to_be_hidden()
    stored = f"records/canvases/{record['recordId']}"
    wait_for(lambda: console.api("GET", stored)["data"]["title"] == "Plan of the fair")


def test_the_error_of_an_action_stays(line):
    console, line = line
    console.new_chat("The plan")
    expect(console.chats).to_have_count(1)
    line.cut()
    expect(live(console)).to_have_text("Not live")
    console.choose("The plan", "Delete")
    line.up = True
    body = {"error": "unavailable", "message": "The database is away."}
    console.page.route("**/api/ai/chats/*", lambda route: route.fulfill(status=409, json=body))
    console.may_say("409")
    console.button("Delete").click()
    expect(live(console)).to_have_text("Live")
    expect(console.page.locator(".chats-pane [role=alert]")).to_have_text("The database is away.")


def test_the_page_reconnects_without_waiting_for_the_timer(line):
    console, line = line
    for sign in ("an answer", "a visible page"):
        line.cut()
        expect(live(console)).to_have_text("Not live")
        line.tries = 0
        line.fail_for_long()
        line.up = True
        if sign == "an answer":
            console.send("count to 3")
        else:
            console.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(live(console), sign).to_have_text("Live", timeout=12_000)
        console.is_idle()


def test_a_page_that_can_not_reach_the_server_is_not_live_though_its_socket_is_still_open(opened):
    console = opened().sign_in()
    console.may_say("ERR_INTERNET_DISCONNECTED")
    expect(live(console)).to_have_text("Live")
    console.show_view("Connections")
    expect(console.page.get_by_role("heading", name="Cloud suite")).to_be_visible()
    console.page.context.set_offline(True)  # which cuts no socket
    console.page.evaluate("window.dispatchEvent(new Event('focus'))")  # reads the status again
    expect(console.page.get_by_text(f"The server {AWAY}.", exact=True)).to_have_count(1)
    expect(live(console)).to_have_text("Not live")
    console.page.context.set_offline(False)
    expect(live(console)).to_have_text("Live")
    expect(console.page.get_by_text(AWAY)).to_have_count(0)


def test_the_message_about_an_outage_disappears_after_one_lost_request(opened):
    console = opened().sign_in()
    console.may_say("ERR_FAILED")
    expect(live(console)).to_have_text("Live")
    console.new_chat("Plan")
    console.page.route("**/api/ai/chats/*", lambda route: route.abort(), times=1)
    console.choose("Plan", "Pin")
    message = console.page.get_by_text(f"The server {AWAY}.", exact=True)
    expect(message).to_be_visible()
    expect(message).to_be_hidden()
    expect(live(console)).to_have_text("Live")


BROKEN = {"content_type": "text/javascript"}


def test_a_fault_of_the_pages_own_code_is_logged_and_is_not_taken_for_an_outage(opened):
    console = opened(own=True)  # a module that was loaded stays
    page = console.page
    console.may_say("broken")
    view = "export function createUsageView() { throw new Error('broken view'); }"
    palette = "export function openPalette() { throw new Error('broken palette'); }"
    page.route("**/usage/usage-view.js", lambda route: route.fulfill(body=view, **BROKEN))
    page.route("**/console/palette.js", lambda route: route.fulfill(body=palette, **BROKEN))
    console.sign_in()
    console.show_view("Usage")
    expect(page.get_by_text("This page can’t be loaded")).to_be_visible()
    page.keyboard.press("Control+k")
    faults = {"broken view", "broken palette"}  # that of the view again if it is tried once more

    def are_logged():
        page.wait_for_timeout(20)
        return faults == {name for name in faults if any(name in line for line in console.errors)}

    wait_for(are_logged)
    expect(live(console)).to_have_text("Live")
    expect(page.get_by_text(AWAY)).to_have_count(0)


def test_the_explorer_shows_the_endpoints_of_a_service_that_was_restarted_with_others(line):
    console, line = line
    page = console.page
    explorer = Explorer(console).show().open("generate-text").fill(prompt="A question")
    before = explorer.links.count()

    def without_one(route):
        answer = route.fetch()
        endpoints = [one for one in answer.json()["endpoints"] if one["name"] != "geocode-city"]
        for one in endpoints:
            one["configured"] = one["name"] != "generate-text"
        route.fulfill(json={"endpoints": endpoints})

    assert page.locator("[data-name='geocode-city']").count() == 1
    page.route("**/api/integrations/catalog", without_one)
    line.cut()
    expect(live(console)).to_have_text("Not live")
    line.up = True
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(explorer.links).to_have_count(before - 1)
    expect(page.get_by_text("This server has no key for it yet.")).to_be_visible()
    expect(explorer.field("prompt")).to_have_value("A question")
