"""The window in which consent is given: how it ends, and who hears of it."""

from playwright.sync_api import expect

from tests.browser.office_suite import ADA, allow

SPY = """() => {
  window.heard = [];
  new BroadcastChannel('oauth').onmessage = ({ data }) => heard.push(['channel', data]);
  addEventListener('message', ({ origin, data }) => heard.push([origin, data]));
}"""


def result(outcome):
    return {"type": "oauth-result", "integration": "cloudsuite", "outcome": outcome}


def test_a_refusal_is_told_here_and_stays_readable_there(connections):
    """Neither the provider's page nor a refusal has a hold on ours."""
    connections.console.may_say("400")
    popup = connections.ask("Files")
    assert popup.evaluate("window.opener") is None
    popup.get_by_role("button", name="Deny").click()
    expect(popup.get_by_role("heading", name="Not connected")).to_be_visible()
    connections.says("Files", "Nothing was granted")
    expect(popup.get_by_role("alert")).to_contain_text("not granted")
    assert not popup.is_closed()
    popup.close()
    says_only_how_it_ended_and_only_to_us(connections)


def says_only_how_it_ended_and_only_to_us(connections):
    """The next window, in which it is allowed."""
    connections.page.evaluate(SPY)
    connections.connect("Files")
    connections.page.wait_for_function("heard.length")  # the status may have told it before
    [[origin, heard]] = connections.page.evaluate("heard")
    assert heard.pop("state"), "which can't be used any more"
    assert (origin, heard) == ("channel", result("connected"))


def test_closing_the_window_of_a_consent_is_not_a_refusal(connections):
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
    connections.says("Files", "Your browser blocked the window.")
    with connections.page.expect_popup() as opened:
        link.click()
    allow(opened.value)
    connections.is_granted("Files")
    expect(link).to_be_hidden()


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


def test_messages_from_other_windows_are_ignored(connections):
    requests = []
    connections.page.on("request", lambda request: requests.append(request.url))
    tell = "([origin, data]) => dispatchEvent(new MessageEvent('message', { origin, data }))"
    own = connections.console.service.url
    connections.page.evaluate(tell, ["https://elsewhere.example", result("connected")])
    connections.page.evaluate(tell, [own, {"type": "oauth-result"}])
    connections.page.wait_for_timeout(300)
    assert not [url for url in requests if "/api/integrations/" in url]
    with connections.page.expect_request("**/api/integrations/status"):
        connections.page.evaluate(tell, [own, result("connected")])


def test_another_browser_has_to_confirm_on_a_page_for_everybody(connections, opened):
    popup = connections.ask("Files")
    url = popup.url
    popup.close()
    elsewhere = opened(viewport={"width": 320, "height": 640})
    elsewhere.may_say("Scripts may close only")
    elsewhere.page.goto(url)
    elsewhere.page.get_by_role("button", name="Allow").click()
    _reads_well(elsewhere, "Connect this account?")
    for known in (connections.console.subject, ADA):
        expect(elsewhere.page.get_by_text(known, exact=True)).to_be_visible()
    assert connections.flags == set()
    button = elsewhere.page.get_by_role("button", name="Connect")
    assert button.bounding_box()["height"] >= 24
    button.click()
    _reads_well(elsewhere, "Connected")
    expect(elsewhere.page.get_by_text("You can close this window")).to_be_visible()
    connections.is_granted("Files")


def _reads_well(console, heading):
    expect(console.page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    console.page.wait_for_load_state("load")  # the style sheet comes after the heading
    style = "getComputedStyle(document.querySelector('main')).borderTopWidth"
    assert console.page.evaluate(style) == "1px", "no style sheet"
    assert console.violations() == []
    assert console.width() <= 320


def test_a_stranger_that_opens_the_console_has_no_hold_on_it(connections):
    console = connections.console
    connections.console.may_say("target origin")
    stranger = connections.page.context.new_page()
    stranger.goto(console.service.url.replace("127.0.0.1", "localhost") + "/healthz")
    with stranger.expect_popup() as opened:
        stranger.evaluate("(url) => void (window.taken = open(url))", console.service.url)
    opened.value.wait_for_load_state()
    stranger.wait_for_function("taken.closed")
    assert opened.value.evaluate("window.opener") is None
    opened.value.close()
    stranger.close()
