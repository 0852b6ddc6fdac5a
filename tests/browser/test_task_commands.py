"""Calls of the assistant that wait for their user: the cards, and what becomes of the call."""

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


@pytest.fixture
def console(opened):
    """The page of a new person, who has allowed nothing at the suite."""
    console = opened().sign_in()
    forget(console)
    return console


def test_a_message_is_sent_after_a_consent_and_an_approval(console, opened):
    shown = reaches_the_message(console)
    other = opened(like=console).sign_in()
    before = sent_count(console)
    expect(shown).to_contain_text("It costs no credits.")
    expect(shown.locator(":focus")).to_have_count(0)  # a card does not take the focus
    assert console.violations() == []
    console.page.set_viewport_size({"width": 320, "height": 640})
    assert console.width() <= 320
    decide(console, "cloudsuite/mail-send", "Allow in this chat")
    expect(shown.get_by_text("You allowed this endpoint in this chat.")).to_be_focused()
    expect(console.answers).to_contain_text("I have sent the message.")
    console.is_idle()
    assert sent_count(console) == before + 1
    other.chats.first.click()
    elsewhere = card(other, "Approval: cloudsuite/mail-send")
    expect(elsewhere).to_contain_text("You allowed this endpoint in this chat.")
    expect(elsewhere.get_by_role("button")).to_have_count(0)


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


def test_a_declined_message_is_not_sent(console):
    reaches_the_message(console)
    before = sent_count(console)
    decide(console, "cloudsuite/mail-send", "Deny")
    expect(console.answers).to_contain_text("The user did not allow this call.")
    console.is_idle()
    assert sent_count(console) == before
    console.page.reload()
    shown = card(console, "Approval: cloudsuite/mail-send")
    expect(shown).to_contain_text("You denied this call. Nothing was sent.")
    expect(shown.get_by_role("button")).to_have_count(0)
