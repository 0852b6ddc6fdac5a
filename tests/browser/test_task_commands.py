"""Calls of the assistant that wait for their user: the cards, and what becomes of the call."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.approval_errand import (
    WEATHER,
    card,
    decide,
    reaches_the_message,
    sent_count,
)
from tests.browser.office_suite import allow, forget

MAIL = "cloudsuite/mail-send"
ALLOWED = "You allowed this endpoint in this chat."


@pytest.fixture
def console(opened):
    """The page of a new person, who has allowed nothing at the suite."""
    console = opened().sign_in()
    forget(console)
    return console


def test_a_message_is_sent_after_a_consent_and_an_approval_in_a_second_tab(console, opened):
    shown = reaches_the_message(console)
    other = opened(like=console).sign_in()
    other.page.goto(console.page.url)
    before = sent_count(console)
    expect(shown).to_contain_text("It costs no credits.")
    expect(shown.locator(":focus")).to_have_count(0)  # a card does not take the focus
    assert console.violations() == []
    console.page.set_viewport_size({"width": 320, "height": 640})
    assert console.width() <= 320
    expect(other.log.locator(".message.user")).to_have_text(re.compile(WEATHER))
    expect(other.button("Stop")).to_be_visible()
    decided = decide(other, MAIL, "Allow in this chat")
    expect(decided.get_by_text(ALLOWED)).to_be_focused()
    for tab in (console, other):
        expect(tab.answers).to_contain_text("I have sent the message.")
        tab.is_idle()
        expect(tab.log.locator(".message")).to_have_count(2)
    expect(shown).to_contain_text(ALLOWED)
    expect(shown.get_by_role("button")).to_have_count(0)
    assert sent_count(console) == before + 1


def test_where_windows_are_blocked_a_link_leads_to_the_consent_and_not_back(console):
    page = console.page
    page.evaluate("window.open = () => null")
    console.send(WEATHER)
    shown = card(console, "Connection: Cloud suite").first
    shown.get_by_role("button", name="Connect").click()
    with page.expect_popup() as opened:
        shown.get_by_role("link", name="Open the consent page").click()
    expect(opened.value.get_by_role("button", name="Allow")).to_be_visible()
    assert opened.value.evaluate("window.opener") is None
    allow(opened.value)
    expect(shown).to_contain_text("The account is connected.")
