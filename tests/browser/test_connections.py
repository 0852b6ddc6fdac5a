"""Connections: consent in a window, card by card, against the sandbox's office suite."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.suite import ADA, Connections, allow, forget

MAIL = {"mail", "mailRead", "mailSend", "mailModify"}
SPY = """() => {
  window.heard = [];
  new BroadcastChannel('oauth').onmessage = ({ data }) => heard.push(['channel', data]);
  addEventListener('message', ({ origin, data }) => heard.push([origin, data]));
}"""


def result(outcome):
    return {"type": "oauth-result", "integration": "cloudsuite", "outcome": outcome}


def test_the_whole_journey(connections):
    calls = []
    connections.page.on("request", lambda asked: calls.append(f"{asked.method} {asked.url}"))
    expect(connections.page.get_by_text("Not connected")).to_be_visible()
    connections.try_it("Calendar")
    connections.says("Calendar", "This needs your consent first.")
    connections.connect("Calendar")
    expect(connections.page.get_by_text(f"Connected as {ADA}")).to_be_visible()
    expect(connections.console.button("Try it: Calendar")).to_be_focused()
    connections.try_it("Calendar")
    expect(connections.lines("Calendar").first).to_be_visible()
    allow(connections.ask("Files"), untick=True)
    connections.says("Files", "this was left out")
    connections.try_it("Files")
    connections.says("Files", "This needs your consent first.")
    assert connections.flags == {"connected", "calendar"}
    connections.connect("Files")
    assert connections.flags == {"connected", "calendar", "drive"}
    connections.try_it("Files")
    expect(connections.lines("Files").first).to_be_visible()
    expect(connections.lines("Calendar").first).to_be_visible()
    assert not [call for call in calls if "token" in call.lower()]


def test_what_has_expired_is_renewed_without_a_word(connections):
    connections.connect("Contacts")
    connections.switch("Expire its access tokens")
    connections.an_hour_passes()
    connections.try_it("Contacts")
    expect(connections.lines("Contacts").first).to_be_visible()
    connections.is_granted("Contacts")


def test_what_the_suite_has_revoked_is_connected_again(connections):
    connections.connect("Contacts")
    connections.switch("Revoke the app's access")
    connections.try_it("Contacts")
    connections.says("Contacts", "does not accept this any more")
    expect(connections.page.get_by_text("Not connected")).to_be_visible()
    assert connections.flags == set()
    connections.connect("Contacts")
    connections.try_it("Contacts")
    expect(connections.lines("Contacts").first).to_be_visible()


def test_what_can_not_be_renewed_is_reconnected(connections):
    connections.console.may_say("502")
    connections.connect("Calendar")
    connections.connect("Files")
    connections.switch("Revoke the app's access")
    connections.an_hour_passes()
    connections.try_it("Files")
    connections.says("Files", "can’t be renewed. Reconnect")
    expect(connections.page.get_by_text(f"Connected as {ADA}")).to_be_visible()
    assert connections.flags == {"connected", "calendar", "drive"}
    connections.connect("Files", "Reconnect")
    assert connections.flags == {"connected", "drive"}
    connections.is_open("Calendar")
    connections.try_it("Files")
    expect(connections.lines("Files").first).to_be_visible()


def test_mail_goes_out_and_comes_in(connections):
    connections.connect("Send mail")
    for title in ("Read mail", "Change mail"):
        connections.is_granted(title)
    assert connections.flags == {"connected", *MAIL}
    connections.try_it("Send mail")
    expect(connections.page.get_by_role("dialog")).to_contain_text(f"from {ADA} to {ADA}")
    connections.console.button("Send").click()
    expect(connections.lines("Send mail")).to_contain_text(f"To {ADA}")
    connections.try_it("Read mail")
    expect(connections.lines("Read mail").first).to_contain_text("A test from the console")
    expect(connections.lines("Read mail")).to_have_count(3)


def test_a_permission_is_checked_without_changing_anything(connections):
    connections.connect("Change mail")
    connections.console.may_say("400")
    connections.try_it("Change mail")
    connections.says("Change mail", "Nothing was changed in the mailbox.")


def test_reading_alone_lights_no_other_card(connections):
    connections.connect("Read mail")
    for title in ("Send mail", "Change mail", "Calendar", "Files", "Contacts"):
        connections.is_open(title)
    assert connections.flags == {"connected", "mail", "mailRead"}


def test_disconnecting_asks_first_and_takes_everything_back(connections):
    connections.connect("Calendar")
    connections.try_it("Calendar")
    expect(connections.lines("Calendar").first).to_be_visible()
    connections.console.button("Disconnect").click()
    connections.console.button("Cancel").click()
    connections.is_granted("Calendar")
    connections.console.button("Disconnect").click()
    dialog = connections.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Disconnect").click()
    connections.is_open("Calendar")
    expect(connections.lines("Calendar")).to_have_count(0)
    expect(connections.console.button("Connect: Read mail")).to_be_focused()
    expect(connections.console.button("Disconnect")).to_be_hidden()
    assert connections.flags == set()


def test_a_refusal_is_told_here_and_stays_readable_there(connections):
    connections.console.may_say("400")
    popup = connections.ask("Files")
    popup.get_by_role("button", name="Deny").click()
    expect(popup.get_by_role("heading", name="Not connected")).to_be_visible()
    connections.says("Files", "Nothing was granted")
    expect(popup.get_by_role("alert")).to_contain_text("not granted")
    assert not popup.is_closed()
    popup.close()
    connections.connect("Files")


def test_a_closed_window_is_no_refusal(connections):
    popup = connections.ask("Files")
    url = popup.url
    popup.close()
    connections.says("Files", "seems to be closed")
    connections.console.may_say("Scripts may close only")  # no script has opened this one
    later = connections.page.context.new_page()
    later.goto(url)
    later.get_by_role("button", name="Allow").click()
    connections.is_granted("Files")


def test_where_windows_are_blocked_there_is_a_link(connections):
    connections.page.evaluate("window.open = () => null")
    connections.console.button("Connect: Files").click()
    link = connections.card("Files").get_by_role("link", name="Open the consent page")
    connections.says("Files", "Your browser has blocked the window.")
    with connections.page.expect_popup() as opened:
        link.click()
    allow(opened.value)
    connections.is_granted("Files")
    expect(link).to_be_hidden()


def test_the_window_says_only_how_it_ended_and_only_to_us(connections):
    connections.page.evaluate(SPY)
    connections.connect("Files")
    own = connections.console.service.url
    heard = connections.page.evaluate("heard")
    assert sorted(heard) == [["channel", result("connected")], [own, result("connected")]]


def test_a_window_that_was_cut_off_is_heard_all_the_same(connections):
    connections.page.evaluate(SPY)
    popup = connections.ask("Files")
    popup.evaluate("window.opener = null")
    allow(popup)
    connections.is_granted("Files")
    assert connections.page.evaluate("heard") == [["channel", result("connected")]]


def test_a_stranger_that_opens_the_window_hears_nothing(connections):
    connections.console.may_say("target origin")
    popup = connections.ask("Files")
    url = popup.url
    popup.close()
    stranger = connections.page.context.new_page()
    stranger.goto(connections.console.service.url.replace("127.0.0.1", "localhost"))
    stranger.evaluate(SPY)
    with stranger.expect_popup() as opened:
        stranger.evaluate("(url) => void open(url)", url)
    allow(opened.value)
    connections.is_granted("Files")
    assert stranger.evaluate("heard") == []


def test_strangers_are_not_listened_to(connections):
    asked = []
    connections.page.on("request", lambda request: asked.append(request.url))
    tell = "([origin, data]) => dispatchEvent(new MessageEvent('message', { origin, data }))"
    own = connections.console.service.url
    connections.page.evaluate(tell, ["https://elsewhere.example", result("connected")])
    connections.page.evaluate(tell, [own, {"type": "oauth-result"}])
    connections.page.wait_for_timeout(300)
    assert asked == []
    with connections.page.expect_request("**/api/integrations/status"):
        connections.page.evaluate(tell, [own, result("connected")])


def test_another_browser_has_to_confirm(connections, opened):
    popup = connections.ask("Files")
    url = popup.url
    popup.close()
    elsewhere = opened()
    elsewhere.may_say("Scripts may close only")
    elsewhere.page.goto(url)
    elsewhere.page.get_by_role("button", name="Allow").click()
    expect(elsewhere.page.get_by_role("heading", name="Connect this account?")).to_be_visible()
    for known in (connections.console.subject, ADA):
        expect(elsewhere.page.get_by_text(known, exact=True)).to_be_visible()
    assert connections.flags == set()
    elsewhere.page.get_by_role("button", name="Connect").click()
    expect(elsewhere.page.get_by_text("You can close this window")).to_be_visible()
    connections.is_granted("Files")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_state(opened, scheme):
    console = opened(color_scheme=scheme, reduced_motion="reduce").sign_in()
    console.may_say("400|502")
    forget(console)
    connections = Connections(console).show()
    assert console.violations() == [], "not connected"
    popup = connections.ask("Files")
    connections.says("Files", "Go on in the window")
    assert console.violations() == [], "waiting"
    popup.get_by_role("button", name="Deny").click()
    expect(popup.get_by_role("alert")).to_be_visible()
    assert console.violations(popup) == [], "the page of a refusal"
    popup.close()
    connections.connect("Files")
    connections.try_it("Files")
    connections.try_it("Contacts")
    expect(connections.lines("Files").first).to_be_visible()
    console.button("Disconnect").click()
    assert console.violations() == [], "dialog"
    console.button("Cancel").click()
    connections.switch("Revoke the app's access")
    connections.an_hour_passes()
    connections.try_it("Files")
    connections.says("Files", "Reconnect")
    connections.page.evaluate("window.open = () => null")
    console.button("Connect: Contacts").click()
    connections.says("Contacts", "blocked")
    assert console.violations() == [], "broken, and blocked"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_confirm_page_is_for_everybody(connections, opened, scheme):
    console = connections.console
    url = console.api("POST", "integrations/cloudsuite/drive-list", {})["data"]["authUrl"]
    look = {"color_scheme": scheme, "viewport": {"width": 320, "height": 640}}
    elsewhere = opened(**look)
    elsewhere.may_say("Scripts may close only")
    elsewhere.page.goto(url)
    elsewhere.page.get_by_role("button", name="Allow").click()
    _reads_well(elsewhere, "Connect this account?")
    button = elsewhere.page.get_by_role("button", name="Connect")
    assert button.bounding_box()["height"] >= 24
    button.click()
    _reads_well(elsewhere, "Connected")


def _reads_well(console, heading):
    expect(console.page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    console.page.wait_for_load_state("load")  # the style sheet comes after the heading
    style = "getComputedStyle(document.querySelector('main')).borderTopWidth"
    assert console.page.evaluate(style) == "3px", "no style sheet"
    assert console.violations() == []
    assert console.width() <= 320


def test_nothing_scrolls_sideways_at_320_pixels(opened):
    console = opened(viewport={"width": 320, "height": 640}).sign_in()
    forget(console)
    connections = Connections(console).show()
    assert console.width() <= 320
    connections.connect("Send mail")
    long = {"to": ADA, "subject": "x" * 300, "content": "x"}
    console.api("POST", "integrations/cloudsuite/mail-send", long)
    connections.try_it("Read mail")
    expect(connections.lines("Read mail").first).to_contain_text(re.compile("x{80}.*…"))
    assert console.width() <= 320
    for target in console.page.locator("button:visible, a:visible").all():
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24, target.inner_text()


def test_the_menu_says_where_one_is_and_a_reload_stays_there(connections):
    page = connections.page
    menu = page.get_by_role("navigation", name="Views")
    expect(menu.locator("[aria-current=page]")).to_have_text("Connections")
    page.reload()
    expect(connections.card("Calendar")).to_be_visible()
    menu.get_by_text("Chat").click()
    expect(connections.console.composer).to_be_visible()
    expect(menu.locator("[aria-current=page]")).to_have_text("Chat")


def test_a_status_that_can_not_be_read_says_so(connections):
    connections.console.may_say("503")
    refusal = {"error": "unavailable", "message": "Something is not reachable right now."}
    status = re.compile("integrations/status")
    connections.page.route(status, lambda route: route.fulfill(status=503, json=refusal))
    connections.page.reload()
    expect(connections.page.get_by_role("alert")).to_contain_text("not reachable right now")
    connections.page.unroute_all()
    connections.console.button("Try again").click()
    expect(connections.card("Files")).to_be_visible()
    expect(connections.console.button("Try again")).to_be_hidden()


def test_a_screen_reader_hears_how_it_went(connections):
    connections.connect("Calendar")
    expect(connections.page.locator("#announcer")).to_have_text("Calendar: granted")
