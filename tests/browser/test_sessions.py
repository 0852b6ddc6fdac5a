"""Signing in and out, and what is kept when a session expires."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.canvas import Canvas
from tests.browser.page import Console
from tests.services import wait_for


def account_of(page: Page, console: Console) -> Locator:
    return page.get_by_role("button", name=f"Account of {console.subject}", exact=True)


def test_a_pasted_token_signs_in_and_stays_in_this_tab(opened):
    console = opened().open()
    page = console.page
    expect(page.get_by_text("sandbox", exact=True)).to_be_visible()
    page.get_by_label("Sign-in token").fill(f"Bearer {console.token}\n")
    page.keyboard.press("Enter")
    account = account_of(page, console)
    expect(account).to_be_visible()
    expect(page.get_by_text("sandbox", exact=True)).to_be_visible()
    page.reload()
    expect(account).to_be_visible()
    assert console.token not in page.url
    assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]


BLOCK_SITE_DATA = """() => {
  const refuse = () => { throw new DOMException('Access is denied for this document.', 'SecurityError'); };
  for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, { get: refuse });
  window.BroadcastChannel = class { constructor() { refuse(); } };
}"""  # noqa: E501


def test_a_browser_that_blocks_site_data_shows_the_console(opened):
    console = opened(alone=True)  # the script of a page stays
    page = console.page
    page.add_init_script(f"({BLOCK_SITE_DATA})()")
    console.open().fill_in().ask("add a task: buy milk")
    console.show_account()
    console.button("Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    Canvas(console).put("Note")
    expect(Canvas(console).frame("Note").get_by_label("Note")).to_be_visible()


def test_a_token_that_is_refused_says_so_and_another_one_signs_in(opened):
    console = opened().open()
    console.may_say("401")
    for token in ("not.a.token", f"{console.token[:30]}…"):  # one that was shortened is no outage
        console.page.get_by_label("Sign-in token").fill(token)
        console.button("Sign in").click()
        expect(console.page.get_by_role("alert"), token).to_contain_text("not valid")
        expect(console.page.get_by_label("Sign-in token"), token).to_be_focused()
    console.fill_in()


def test_a_link_signs_in_and_leaves_no_token_in_the_address(opened):
    console = opened(own=True)  # nothing to go back to but an empty page
    page = console.page
    seen = []
    page.on("framenavigated", lambda frame: seen.append(frame.url))
    console.open(f"/#token={console.token}")
    expect(account_of(page, console)).to_be_visible()
    assert "token" not in page.evaluate("location.href")
    page.go_back()
    page.go_forward()
    expect(account_of(page, console)).to_be_visible()
    assert "token" not in seen[-1]


def test_a_link_asks_before_it_replaces_a_session(console, opened):
    page, other = console.page, opened()
    page.get_by_label("New task").fill("half a task")
    page.evaluate("(token) => (location.hash = `#token=${token}`)", other.token)
    dialog = page.get_by_role("dialog", name="Sign in by this link?")
    expect(dialog).to_contain_text(f"signed in as {console.subject}")
    assert "token" not in page.url
    assert console.violations() == []
    dialog.get_by_role("button", name="Cancel").click()
    expect(account_of(page, console)).to_be_visible()
    expect(page.get_by_label("New task")).to_have_value("half a task")
    page.evaluate("(token) => (location.hash = `#token=${token}`)", other.token)
    dialog.get_by_role("button", name="Sign in").click()
    expect(account_of(page, other)).to_be_visible()


def test_a_link_that_is_not_valid_says_so(opened):
    console = opened(fresh=True)  # the link loads the page
    console.may_say("401")
    console.open("/#token=not.a.token")
    expect(console.page.get_by_role("alert")).to_contain_text("not valid")
    assert "token" not in console.page.url


def test_signing_out_leaves_nothing_behind_also_no_question(console):
    page = console.page
    console.show_account()
    sign_out = console.button("Sign out").element_handle()
    page.keyboard.press("Escape")
    console.ask("count to 2")
    console.composer.fill("a draft")
    console.choose("count to 2", "Delete")
    expect(page.get_by_role("dialog")).to_contain_text("count to 2")
    sign_out.evaluate("(button) => button.click()")  # as another tab does it
    expect(page.get_by_role("alert")).to_have_text("You are signed out.")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("sessionStorage.length") == 0


def test_a_page_that_was_left_asks_for_nothing_while_the_next_person_signs_in(opened):
    console, held = opened(own=True), []
    console.page.route("**/chat/suggestions.js", lambda route: held.append(route))
    console.sign_in()
    wait_for(lambda: held or console.page.wait_for_timeout(20))
    console.sign_out()
    with console.page.expect_response("**/chat/suggestions.js"):
        held[0].continue_()
    console.fill_in()  # without a request that is refused, which would be an error of the page


def test_signing_out_leaves_nothing_of_a_canvas_that_could_not_be_stored(console):
    canvas = Canvas(console).create()
    console.may_say("ERR_FAILED")
    canvas.page.route("**/api/records/canvases/rec_*", lambda route: route.abort())
    canvas.page.get_by_label("Title of the canvas").fill("The secret plan")
    canvas.page.keyboard.press("Enter")
    expect(canvas.page.get_by_text("Your changes are kept in this tab.")).to_be_visible()
    console.sign_out()
    expect(console.page.get_by_role("alert")).to_have_text("You are signed out.")
    assert "plan" not in console.page.evaluate("JSON.stringify(sessionStorage)")


def test_an_expired_session_keeps_drafts(console):
    console.may_say("401")
    console.page.get_by_label("New task").fill("half a task")
    console.page.route(re.compile("/api/ai/chats"), lambda route: route.fulfill(status=401))
    console.send("hello")
    expect(console.page.get_by_role("alert")).to_contain_text("Sign in again")
    console.page.unroute_all()
    console.page.get_by_label("Sign-in token").fill(console.token)
    console.page.keyboard.press("Enter")
    expect(console.composer).to_have_value("hello")
    expect(console.page.get_by_label("New task")).to_have_value("half a task")
