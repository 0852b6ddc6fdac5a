"""A running reply in a second tab, after a reload, and when its page or its worker is lost."""

import os
import signal
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import expect
from sqlalchemy.engine import make_url

from tests.browser.approval_errand import (
    WEATHER,
    card,
    connect,
    decide,
)
from tests.browser.console_opening import opening
from tests.browser.office_suite import forget
from tests.services import Service

LEFT = "You can’t decide here any more"
CONTACTS = "cloudsuite/contacts-list"
SEARCH = 'call integrations.call with {"endpoint": "search-web-raw", "body": {"query": "brave"}}'
# The function `silence` holds all further bytes of the page's newest reply, as a lost network does.
SILENCE = """const { fetch } = window;
window.fetch = async (path, init) => {
  const answer = await fetch(path, init);
  if (!/\\/api\\/ai\\/chat($|.*\\/stream$)/.test(path) || !answer.body) return answer;
  const reader = answer.body.getReader();
  let isSilent = false;
  window.silence = () => (isSilent = true);
  const body = new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (isSilent) return new Promise(() => {});
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  });
  return new Response(body, answer);
};"""


@pytest.fixture(scope="module")
def lossy(databases):
    """A service of its own: replies outlive their page, and its worker may be killed."""
    own = {"RESUME_SECONDS": 30, "EXTENSIONS": "tests.browser.fast_service"}
    with Service(databases.make("sqlite"), **own) as service:
        yield service.start()


@pytest.fixture
def opened_there(tabs, lossy):
    with opening(tabs, lossy) as open_one:
        yield open_one


def person(opened, **options):
    """A new person, who has allowed nothing at the suite."""
    console = opened(**options).sign_in()
    forget(console)
    return console


def lose_worker(service):
    """Kill the worker, and end its lease, which would lapse in 15 seconds."""
    os.kill(service.worker, signal.SIGKILL)
    file = make_url(service.database_url).database
    with closing(sqlite3.connect(file, timeout=15)) as connection, connection:
        connection.execute("DELETE FROM leases")
    service.wait()


def balance(console):
    return console.api("GET", "credits")["balance"]


def calls_of(console):
    """The endpoints that were called for this person."""
    calls = console.api("GET", "records/integration-calls")["records"]
    return [one["data"]["endpoint"] for one in calls]


def waits_for_its_user(console):
    """The card of a call that costs credits, and that nobody has decided about."""
    console.send(SEARCH)
    shown = card(console, "Approval: search-web-raw")
    expect(shown.get_by_role("button", name="Allow once")).to_be_visible()
    return shown


def waits_after_the_consent(console):
    """Connect the account that the first call needs, until this call waits to be allowed."""
    connect(console, 0)
    approval = card(console, f"Approval: {CONTACTS}").get_by_role("button", name="Allow once")
    expect(approval).to_be_visible()


def test_a_tab_that_is_closed_while_a_call_waits_sends_nothing(opened):
    first = person(opened, own=True)
    first.send(WEATHER)
    waits_after_the_consent(first)
    second = opened(like=first).sign_in()
    before = calls_of(second)
    first.page.close()
    second.chats.first.click()
    shown = card(second, f"Approval: {CONTACTS}")
    expect(shown).to_contain_text("Nothing was sent.")
    expect(shown.get_by_role("button")).to_have_count(0)
    second.is_idle()
    assert calls_of(second) == before


def test_a_reply_goes_on_after_a_reload_and_what_was_denied_stays_so(opened_there):
    console = person(opened_there)
    console.send(WEATHER)
    expect(card(console, "Connection: Cloud suite")).to_be_visible()
    console.page.reload()
    waits_after_the_consent(console)
    before = calls_of(console)
    decide(console, CONTACTS, "Deny")
    expect(console.answers).to_contain_text("The user did not allow this call.")
    console.is_idle()
    expect(console.log.locator(".message")).to_have_count(2)
    expect(console.composer).to_have_value("")
    console.page.reload()
    shown = card(console, f"Approval: {CONTACTS}")
    expect(shown).to_contain_text("You denied this call. Nothing was sent.")
    expect(shown.get_by_role("button")).to_have_count(0)
    assert calls_of(console) == before


def test_a_silent_connection_is_read_again_also_where_a_reply_ends_with_its_connection(opened):
    console = opened(alone=True)  # the clock is that of the context
    page = console.page
    page.add_init_script(SILENCE)
    page.clock.install()
    console.sign_in()
    waits_for_its_user(console)
    page.evaluate("silence()")
    with page.expect_response("**/stream") as resumed:
        page.clock.run_for(40_000)
    assert resumed.value.status == 200
    decide(console, "search-web-raw", "Allow once")
    console.is_idle()
    assert calls_of(console) == ["search-web-raw"]


def test_a_worker_that_is_killed_while_a_call_waits_has_sent_nothing(opened_there, lossy):
    console = opened_there().sign_in()
    console.may_say("ERR_|WebSocket")
    shown, credits = waits_for_its_user(console), balance(console)
    lose_worker(lossy)
    expect(console.problem).to_contain_text("Your message is back in the input box.")
    expect(shown).to_contain_text(LEFT)
    expect(shown.get_by_role("button")).to_have_count(0)
    assert (calls_of(console), balance(console)) == ([], credits)
    console.composer.press("Enter")
    decide(console, "search-web-raw", "Allow once")
    console.is_idle()
    assert calls_of(console) == ["search-web-raw"]
