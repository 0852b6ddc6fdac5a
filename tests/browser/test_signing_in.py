"""Signing in at an identity provider, whose tokens end while a reply is being written."""

import json
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from config import ROOT
from service.auth.tokens import issue
from tests.browser.console_opening import opening
from tests.browser.held_traffic import first_of
from tests.browser.tabs import SIZE
from tests.services import Service, settings_for

LIFE = 4  # seconds of a token, which is replaced after three


@pytest.fixture(scope="module")
def trusting(databases):
    """A service whose people sign in at a provider with tokens of a short life."""
    command = [sys.executable, "-m", "tests.sign_in.identity_provider", str(LIFE)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as provider:
        values = json.loads(provider.stdout.readline())
        settings = {name.upper(): value for name, value in values.items()}
        try:
            extensions = "tests.browser.fast_service,tests.browser.slow_replies"
            with Service(databases.make("sqlite"), EXTENSIONS=extensions, **settings) as service:
                yield service.start()
        finally:
            provider.terminate()


@pytest.fixture
def visitor(tabs, trusting):
    with opening(tabs, trusting) as open_one:
        yield open_one


def test_a_person_signs_in_chats_past_the_end_of_the_token_and_signs_out_in_every_tab(visitor):
    console = visitor(own=True).open("/#/connections")
    page, asked, sockets = console.page, [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: sockets.append(socket))
    console.button("Sign in").click()
    page.get_by_role("link", name="Deny").click()
    expect(page.get_by_role("alert")).to_have_text("The sign-in was cancelled.")
    assert "denied" not in page.url
    assert console.violations() == []
    console.button("Sign in").click()
    page.get_by_role("link", name="Sign in as ada").click()
    expect(page.get_by_role("heading", name="Connections")).to_be_visible()  # as it was left
    page.goto(f"{console.service.url}/#/chat")
    page.get_by_label("New task").fill("half a task")
    console.send("count to 56")
    expect(console.answers).to_contain_text("55 56")
    console.is_idle()
    expect(page.get_by_label("New task")).to_have_value("half a task")
    page.get_by_label("New task").press("Enter")
    expect(page.get_by_label("Title of half a task")).to_be_visible()
    assert sum(url.endswith("/console/token") for url in asked) >= 3
    assert len(sockets) >= 2  # the page itself replaces a socket before its token ends
    assert page.evaluate("[document.cookie, sessionStorage['console.token'] ?? '']") == ["", ""]
    page.reload()
    expect(console.answers).to_contain_text("55 56")
    console.may_say("401")  # if a page asks for its next token at this moment
    signs_out_in_both_tabs(console)
    page.get_by_role("link", name="Back").click()
    expect(console.button("Sign in")).to_be_visible()


def signs_out_in_both_tabs(console):
    """No draft is left in the other one."""
    other = console.page.context.new_page()
    other.set_viewport_size(SIZE)  # of the browser, whose first test may have had a small one
    other.goto(f"{console.service.url}/#/chat")
    other.get_by_label("New task").fill("another task")
    assert "another task" in other.evaluate("JSON.stringify(sessionStorage)")
    console.sign_out()
    expect(other.get_by_role("button", name="Sign in")).to_be_visible()  # the tables are gone
    expect(other.get_by_role("alert")).to_have_text("You are signed out.")
    assert "another task" not in other.evaluate("JSON.stringify(sessionStorage)")
    other.close()


def test_a_link_asks_also_while_the_browsers_session_is_being_restored(visitor):
    console = visitor(own=True).open()
    page, held = console.page, []
    console.button("Sign in").click()
    page.get_by_role("link", name="Sign in as ada").click()
    expect(console.composer).to_be_visible()
    page.goto("about:blank")
    page.route("**/console/token", lambda route: held.append(route), times=1)
    console.open(f"/#token={console.token}")
    restoring = first_of(held, page)
    restoring.continue_()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("You are signed in as ada.")
    question.get_by_role("button", name="Cancel").click()
    expect(console.composer).to_be_visible()
    console.show_account()
    expect(page.locator(".subject")).to_have_text("ada")


def short_token(console, seconds):
    console.token = issue(
        settings_for(console.service.database_url), console.subject, "user", seconds
    )
    return console


def test_a_token_that_ends_takes_no_reply_away(opened):
    console = short_token(opened(), 240).sign_in()
    console.may_say("401")
    page = console.page
    expect(page.get_by_text("Your sign-in ends in 4 minutes.")).to_be_visible()
    assert console.violations() == []
    console.button("Later").press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.get_by_label("New task").fill("half a task")
    console.send("count to 400")
    expect(console.answers).to_contain_text("1 2 3")
    page.route(re.compile("/api/integrations/status"), lambda route: route.fulfill(status=401))
    page.get_by_role("link", name="Connections", exact=True).click()
    expect(page.get_by_text("Your sign-in has ended.")).to_be_visible()
    page.get_by_role("link", name="Chat", exact=True).click()
    expect(console.answers).to_contain_text("399 400")
    console.button("Sign in again").click()
    page.get_by_label("Sign-in token").fill(short_token(console, 3600).token)
    page.keyboard.press("Enter")
    expect(page.get_by_label("New task")).to_have_value("half a task")
    expect(console.answers).to_contain_text("399 400")
