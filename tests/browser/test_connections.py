"""Connections: what the cards say and do, against the sandbox's office suite."""

import re

from playwright.sync_api import expect

from tests.browser.office_suite import ADA, SUITE, Connections, allow, forget

MAIL = {"mail", "mailRead", "mailSend", "mailModify"}


def test_an_integration_is_connected_used_and_disconnected(connections):
    calls = []
    connections.page.on("request", lambda request: calls.append(f"{request.method} {request.url}"))
    expect(connections.account("Cloud suite").get_by_text("Not connected")).to_be_visible()
    connections.connect("Calendar")
    expect(connections.page.get_by_text(f"Connected as {ADA}")).to_be_visible()
    expect(connections.console.button("Try it: Calendar")).to_be_focused()
    connections.try_it("Calendar")
    expect(connections.lines("Calendar").first).to_be_visible()
    allow(connections.ask("Files"), untick=True)
    connections.says("Files", "without this permission")
    assert connections.flags == {"connected", "calendar"}
    connections.connect("Files")
    assert connections.flags == {"connected", "calendar", "drive"}
    connections.try_it("Files")
    expect(connections.lines("Files").first).to_be_visible()
    expect(connections.lines("Calendar").first).to_be_visible()
    assert not [call for call in calls if "token" in call.lower()]


def test_another_vendors_account_is_connected_beside_the_suite(connections):
    connections.console.may_say("400")
    connections.connect("Post videos")
    connections.try_it("Post videos")
    expect(connections.lines("Post videos")).to_have_text("Nothing was posted.")
    expect(connections.account("Short videos").get_by_text("Connected")).to_be_visible()
    expect(connections.account("Cloud suite").get_by_text("Not connected")).to_be_visible()
    assert connections.flags == set()


def test_what_has_expired_is_renewed_without_a_word_and_what_was_revoked_is_connected_again(
    connections,
):
    connections.connect("Contacts")
    connections.switch("Expire the app's access tokens")
    connections.an_hour_passes()
    connections.try_it("Contacts")
    expect(connections.lines("Contacts").first).to_be_visible()
    connections.is_granted("Contacts")
    connections.switch("Revoke the app's access")
    connections.try_it("Contacts")
    connections.says("Contacts", "no longer allows this")
    expect(connections.account("Cloud suite").get_by_text("Not connected")).to_be_visible()
    assert connections.flags == set()
    connections.connect("Contacts")
    connections.try_it("Contacts")
    expect(connections.lines("Contacts").first).to_be_visible()


def test_mail_is_read_sent_and_listed_each_with_its_own_permission(connections):
    connections.connect("Read mail")
    for title in ("Send mail", "Change mail", "Calendar", "Files", "Contacts"):
        connections.is_open(title)
    assert connections.flags == {"connected", "mail", "mailRead"}
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
    connections.console.may_say("400")
    connections.try_it("Change mail")
    connections.says("Change mail", "Nothing was changed in the mailbox.")


def test_a_screen_reader_hears_of_a_consent_and_disconnecting_takes_everything_back(connections):
    connections.connect("Calendar")
    expect(connections.page.locator("#announcer")).to_have_text("Calendar: granted")
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


def test_axe_finds_nothing_in_any_state(opened):
    console = opened(reduced_motion="reduce").sign_in()
    console.may_say("400|502")
    forget(console)
    connections = Connections(console).show()
    popup = connections.ask("Files")
    connections.says("Files", "Continue in the window")
    assert console.violations() == [], "one card waits, and the others are not connected"
    assert console.violations(popup) == [], "the consent page"
    popup.get_by_role("button", name="Deny").click()
    expect(popup.get_by_role("alert")).to_be_visible()
    assert console.violations(popup) == [], "the page of a refusal"
    popup.close()
    connections.connect("Files")
    overview = console.page.context.new_page()
    overview.goto(console.service.url + SUITE)
    expect(overview.get_by_role("table", name="Tokens of Ada Sandbox")).to_be_visible()
    assert console.violations(overview) == [], "the overview of the suite"
    overview.close()
    connections.try_it("Files")
    expect(connections.lines("Files").first).to_be_visible()
    console.button("Disconnect").click()
    assert console.violations() == [], "dialog"
    console.button("Cancel").click()
    connections.switch("Revoke the app's access")
    connections.an_hour_passes()
    connections.try_it("Files")
    connections.says("Files", "can’t be renewed. Reconnect")
    assert connections.flags == {"connected", "drive"}
    connections.page.evaluate("window.open = () => null")
    console.button("Connect: Contacts").click()
    connections.says("Contacts", "blocked")
    assert console.violations() == [], "broken, and blocked"


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


def test_a_reload_stays_here_and_says_if_the_status_can_not_be_read(connections):
    connections.console.may_say("503")
    refusal = {"error": "unavailable", "message": "Something is not reachable right now."}
    status = re.compile("integrations/status")
    connections.page.route(status, lambda route: route.fulfill(status=503, json=refusal))
    connections.page.reload()
    expect(connections.page.locator(".live-word")).to_have_text("Live")  # else it tries by itself
    menu = connections.page.get_by_role("navigation", name="Views")
    expect(menu.locator("[aria-current=page]")).to_have_text("Connections")
    expect(connections.page.get_by_role("alert")).to_contain_text("not reachable right now")
    connections.page.unroute_all()
    connections.console.button("Try again").click()
    expect(connections.card("Files")).to_be_visible()
    expect(connections.console.button("Try again")).to_be_hidden()
    menu.get_by_text("Chat").click()
    expect(menu.locator("[aria-current=page]")).to_have_text("Chat")


def test_only_a_granted_permission_can_be_tried(connections):
    card, test = connections.card("Contacts"), connections.console.button("Try it: Contacts")
    expect(card.get_by_role("button")).to_have_text(["Connect"])
    connections.connect("Contacts")
    expect(card.get_by_role("button")).to_have_text(["Try it"])
    connections.switch("Revoke the app's access")
    test.press("Enter")
    connections.says("Contacts", "no longer allows this")
    expect(test).to_be_hidden()
    expect(connections.console.button("Connect: Contacts")).to_be_focused()
