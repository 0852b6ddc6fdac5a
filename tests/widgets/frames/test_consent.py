"""The window of a consent that a widget needs: who opens it, and how its end is noticed."""

import pytest
from playwright.sync_api import expect

from tests.services import wait_for
from tests.widgets.frames.server import NEEDED

CONTACTS = "cloudsuite/contacts-list"


@pytest.fixture
def needing(canvas):
    """A widget whose answer asks for consent, on a page that opens real windows."""
    canvas.run(
        "() => { canvas.host.close(); canvas.make({ consent: canvas.consentWindow }); }",
    )
    canvas.server.answers[CONTACTS] = {**NEEDED, "authUrl": f"{canvas.server.url}/consent"}
    widget = canvas.mount("a")
    widget.ask(CONTACTS)
    return widget


def ask(widget):
    consent_id = widget.answer()["consentId"]
    widget.tell({"type": "widget-consent-request", "requestId": "c", "consentId": consent_id})


def test_the_window_of_a_consent_opens_at_once_and_its_report_ends_the_wait(canvas, needing):
    with canvas.page.expect_popup() as opened:
        ask(needing)
    expect(canvas.dialog).to_contain_text("Connect your cloudsuite account")
    asks = "The widget “Widget a” asks for it, to call cloudsuite/contacts-list."
    expect(canvas.dialog).to_contain_text(f"{asks} The permission: https://scopes.invalid/contacts")
    allow = opened.value.get_by_role("button")
    expect(allow).to_be_visible()  # by now the status before the consent has been read
    canvas.server.flags["contacts"] = True
    allow.click()
    assert needing.answer("widget-consent-result")["status"] == "connected"
    expect(canvas.dialog).to_have_count(0)
    assert opened.value.is_closed()


def test_a_consent_that_sets_no_new_flag_is_known_by_its_report(canvas, needing):
    canvas.server.flags["contacts"] = True  # the provider has taken it back
    with canvas.page.expect_popup() as opened:
        ask(needing)
    opened.value.wait_for_url("**/consent")  # until it has loaded: its script handles the click
    opened.value.get_by_role("button").click()
    assert needing.answer("widget-consent-result")["status"] == "connected"


def test_a_window_that_says_nothing_is_noticed_by_the_status(canvas, needing):
    with canvas.page.expect_popup() as opened:
        ask(needing)
    expect(opened.value.get_by_role("button")).to_be_visible()
    opened.value.close()
    canvas.server.flags["contacts"] = True
    assert needing.answer("widget-consent-result")["status"] == "connected"


def test_where_windows_are_blocked_there_is_a_link(canvas, needing):
    canvas.run("() => { window.open = () => null; }")
    ask(needing)
    with canvas.page.context.expect_page() as opened:
        canvas.dialog.get_by_role("link", name="Open the page").click()
    assert opened.value.url == f"{canvas.server.url}/consent"
    canvas.dialog.get_by_role("button", name="Cancel").click()
    assert needing.answer("widget-consent-result")["status"] == "cancelled"


def test_a_consent_ends_with_its_widget(canvas, needing):
    canvas.run("() => { window.open = () => null; }")
    ask(needing)
    expect(canvas.dialog).to_be_visible()
    canvas.run("() => canvas.host.unmount('a')")
    expect(canvas.dialog).to_have_count(0)


def test_who_cancels_three_times_is_not_asked_for_a_consent_any_more(canvas, needing):
    canvas.run("() => { window.open = () => null; }")
    for number in range(1, 4):
        ask(needing)
        canvas.dialog.get_by_role("button", name="Cancel").click()
        wait_for(lambda n=number: len(needing.answers("widget-consent-result")) == n)
    ask(needing)
    wait_for(lambda: len(needing.answers("widget-consent-result")) == 4)
    expect(canvas.dialog).to_have_count(0)
    expect(needing.notice).to_contain_text("refused this widget several times")


def test_axe_finds_nothing_in_the_dialog(canvas, needing):
    canvas.run("() => { window.open = () => null; }")
    ask(needing)
    expect(canvas.dialog).to_be_visible()
    assert canvas.violations() == []
    canvas.page.keyboard.press("Escape")
    assert needing.answer("widget-consent-result")["status"] == "cancelled"


def test_tokens_that_can_not_be_refreshed_are_removed_first_if_the_user_wants(canvas, needing):
    canvas.run("(code) => { window.ending = (0, canvas.consentWindow)(code); }", renew())
    expect(canvas.dialog).to_contain_text("Reconnect your cloudsuite account?")
    assert canvas.server.deleted == []
    canvas.dialog.get_by_role("button", name="Reconnect").click()
    expect(canvas.dialog).to_contain_text("Connect your cloudsuite account")
    assert canvas.server.deleted == ["/api/integrations/oauth/cloudsuite/disconnect"]
    canvas.dialog.get_by_role("button", name="Cancel").click()
    assert canvas.run("() => window.ending") == {"status": "cancelled"}


def renew():
    return {"renew": True, "provider": "cloudsuite", "endpoint": CONTACTS, "scopes": []}


ENDING = "() => Promise.race([ending, new Promise((end) => setTimeout(end, 15_000, 'none'))])"


def test_a_widget_that_goes_while_the_old_connection_is_removed_opens_no_dialog(canvas, needing):
    canvas.run("() => { globalThis.gone = new AbortController(); }")
    begin = "(need) => { window.ending = canvas.consentWindow({ ...need, signal: gone.signal }); }"
    held = []
    canvas.page.route("**/disconnect", lambda route: held.append(route))
    canvas.run(begin, renew())
    canvas.dialog.get_by_role("button", name="Reconnect").click()
    wait_for(lambda: canvas.page.wait_for_timeout(50) or held)
    canvas.run("() => gone.abort()")
    held[0].continue_()
    assert canvas.run(ENDING) == {"status": "cancelled"}
    expect(canvas.dialog).to_have_count(0)
    canvas.page.unroute("**/disconnect")
