"""A running reply in a second tab, after a reload, and when its page or its worker is lost."""

import os
import re
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
    reaches_the_message,
    sent_count,
)
from tests.browser.console_opening import opening
from tests.browser.office_suite import forget
from tests.services import Service

LEFT = "You can’t decide here any more"
MAIL = "cloudsuite/mail-send"


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


def test_a_call_that_waits_is_decided_in_a_second_tab(opened):
    first = person(opened)
    reaches_the_message(first)
    second = opened(like=first).sign_in()
    second.page.goto(first.page.url)
    before = sent_count(first)
    expect(second.log.locator(".message.user")).to_have_text(re.compile(WEATHER))
    expect(second.button("Stop")).to_be_visible()
    decide(second, MAIL, "Allow once")
    for console in (first, second):
        expect(console.answers).to_contain_text("I have sent the message.")
        console.is_idle()
        expect(console.log.locator(".message")).to_have_count(2)
    assert sent_count(first) == before + 1


def test_a_tab_that_is_closed_while_a_call_waits_sends_nothing(opened):
    first = person(opened, own=True)
    reaches_the_message(first)
    second = opened(like=first).sign_in()
    before = sent_count(second)
    first.page.close()
    second.chats.first.click()
    shown = card(second, f"Approval: {MAIL}")
    expect(shown).to_contain_text("Nothing was sent.")
    expect(shown.get_by_role("button")).to_have_count(0)
    second.is_idle()
    assert sent_count(second) == before


def test_a_reply_goes_on_after_a_reload(opened_there):
    console = person(opened_there)
    console.send(WEATHER)
    expect(card(console, "Connection: Cloud suite")).to_be_visible()
    console.page.reload()
    connect(console, 0)
    decide(console, "cloudsuite/contacts-list", "Deny")
    expect(console.answers).to_contain_text("The user did not allow this call.")
    console.is_idle()
    expect(console.log.locator(".message")).to_have_count(2)
    expect(console.composer).to_have_value("")


def test_a_worker_that_is_killed_while_a_call_waits_has_sent_nothing(opened_there, lossy):
    console = person(opened_there)
    console.may_say("ERR_|WebSocket")
    shown = reaches_the_message(console)
    before, credits = sent_count(console), balance(console)
    lose_worker(lossy)
    expect(console.problem).to_contain_text("Your message is back in the input box.")
    expect(shown).to_contain_text(LEFT)
    expect(shown.get_by_role("button")).to_have_count(0)
    assert (sent_count(console), balance(console)) == (before, credits)
    console.composer.press("Enter")
    decide(console, "cloudsuite/contacts-list", "Allow once")
    decide(console, MAIL, "Allow once")
    expect(console.answers).to_contain_text("I have sent the message.")
    assert sent_count(console) == before + 1
