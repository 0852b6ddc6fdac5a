"""Widgets call endpoints through the host: approval, the token, cancelling, consent."""

import json

from playwright.sync_api import expect

from tests.services import wait_for
from tests.widgets.frames.server import NEEDED

TOKEN = "token-that-no-widget-may-see"


def test_nothing_leaves_before_the_user_has_allowed_it(canvas):
    first = canvas.mount("a")
    first.ask("search-web", body={"q": "x"})
    expect(canvas.dialog).to_contain_text("It costs you 2 credits. You have 120 credits.")
    assert first.answer("widget-api-status")["status"] == "awaiting_approval"
    assert canvas.calls == []
    canvas.press("Allow once")
    assert first.answer()["envelope"] == {"success": True, "data": {"endpoint": "search-web"}}
    (call,) = canvas.calls
    assert (call.body, call.approval) == ('{"q":"x"}', "once")
    assert [each["status"] for each in first.answers("widget-api-status")][-1] == "running"


def test_until_the_page_closes_it_is_not_asked_again(canvas):
    first = canvas.mount("a")
    first.ask("search-web")
    canvas.press("Allow until this page closes")
    first.ask("search-web", "r2", body={"q": "other"})
    wait_for(lambda: len(first.answers("widget-api-response")) == 2)
    assert [call.approval for call in canvas.calls] == ["session", "session"]
    first.leave("() => location.reload()")
    first.is_welcome()
    first.ask("search-web", "r3")
    expect(canvas.dialog).to_be_visible()


def test_the_token_is_nowhere_in_messages_and_pages(canvas):
    first = canvas.mount("a")
    first.ask("profnet-search-profiles")
    first.answer()
    assert [call.approval for call in canvas.calls] == ["auto"]  # it only reads
    said = json.dumps(canvas.run("() => canvas.events")) + json.dumps(first.run("() => page.heard"))
    shown = canvas.page.content() + first.frame.content() + first.frame.url
    assert "profnet" in said
    assert TOKEN not in said + shown
    assert first.run("() => document.referrer") == ""
    reading = "() => { try { return document.cookie; } catch (error) { return error.name; } }"
    assert first.run(reading) == "SecurityError"


def test_a_call_that_is_cancelled_takes_its_dialog_along(canvas):
    first = canvas.mount("a")
    first.ask("search-web")
    expect(canvas.dialog).to_be_visible()
    first.tell({"type": "widget-api-cancel", "requestId": "r"})
    expect(canvas.dialog).to_have_count(0)
    assert (canvas.calls, first.answers("widget-api-response")) == ([], [])


def test_a_widget_that_is_removed_takes_its_dialog_along(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    first.ask("search-web")
    second.ask("search-images")
    expect(canvas.dialog).to_contain_text("Widget a")
    canvas.run("() => canvas.host.unmount('a')")
    expect(canvas.dialog).to_contain_text("Widget b")
    expect(canvas.dialog).to_contain_text("It costs 3 credits. The owner of the app pays.")


def test_a_consent_opens_what_the_host_has_received_within_the_click(canvas):
    first = canvas.mount("a")
    canvas.server.answers["cloudsuite/contacts-list"] = NEEDED
    first.ask("cloudsuite/contacts-list")
    answer = first.answer()
    assert answer["envelope"]["data"] == NEEDED
    first.tell(
        {"type": "widget-consent-request", "requestId": "c", "consentId": answer["consentId"]}
    )
    assert first.answer("widget-consent-result")["status"] == "connected"
    (need,) = canvas.run("() => canvas.needs")
    assert (need["authUrl"], need["widgetId"]) == (NEEDED["authUrl"], "a")


def test_a_widget_can_make_up_no_consent(canvas):
    first = canvas.mount("a")
    for number, url in enumerate(["javascript:alert(1)", "http://evil.invalid/"]):
        canvas.server.answers["cloudsuite/contacts-list"] = {**NEEDED, "authUrl": url}
        first.ask("cloudsuite/contacts-list", f"r{number}")
        wait_for(lambda n=number: len(first.answers("widget-api-response")) == n + 1)
    known = [each["consentId"] for each in first.answers("widget-api-response")]
    for consent_id in [*known, "made-up"]:
        asked = {"type": "widget-consent-request", "requestId": consent_id, "consentId": consent_id}
        first.tell({**asked, "authUrl": "https://evil.invalid/"})
    wait_for(lambda: len(first.answers("widget-consent-result")) == 3)
    assert {each["status"] for each in first.answers("widget-consent-result")} == {"cancelled"}
    assert canvas.drops("a") == {"unsafe_address": 2, "unknown_consent": 1}
    assert canvas.run("() => canvas.needs") == []


def test_a_widgets_state_is_part_of_the_canvas(canvas):
    first = canvas.mount("a")
    first.tell({"type": "widget-state-set", "requestId": "s", "value": {"page": 3}})
    assert first.answer("widget-state-set")["ok"] is True
    first.tell({"type": "widget-state-set", "requestId": "t", "value": "x" * 70_000})
    wait_for(lambda: len(first.answers("widget-state-set")) == 2)
    assert first.answers("widget-state-set")[1]["error"] == "too_large"
    first.leave("() => location.reload()")
    first.is_welcome()
    first.tell({"type": "widget-state-get", "requestId": "u"})
    assert first.answer("widget-state-get")["value"] == {"page": 3}
    assert canvas.run("() => canvas.states.at(-1).widgets.a.state") == {"page": 3}


def test_a_height_is_set_once_and_clamped(canvas):
    first = canvas.mount("a")
    first.tell({"type": "widget-resize-request", "height": 4000})
    frame = first.box.locator("iframe")
    expect(frame).to_have_css("height", "2000px")
    first.tell({"type": "widget-resize-request", "height": 1998})
    first.tell({"type": "widget-ping"})
    first.answer("widget-pong")
    expect(frame).to_have_css("height", "2000px")


def test_records_come_from_the_host_and_end_with_the_document(canvas):
    canvas.run("() => { canvas.host.close(); canvas.make({ records: canvas.records }); }")
    first = canvas.mount("a", collections=["tasks"])
    for collection in ("tasks", "users"):
        asked = {"type": "widget-records-subscribe", "requestId": collection}
        first.tell({**asked, "collection": collection})
    assert first.answer("widget-records-snapshot")["records"] == [{"recordId": "r1", "data": {}}]
    assert first.answer("widget-records-error")["error"] == "forbidden"
    assert canvas.run("() => canvas.open") == ["tasks"]
    first.leave("() => location.reload()")
    first.is_welcome()
    wait_for(lambda: canvas.run("() => canvas.open") == [])
