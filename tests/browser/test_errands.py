"""Calls of the assistant that wait for their user: the cards, and what becomes of the call."""

import pytest
from playwright.sync_api import expect

from tests.browser.suite import allow, forget

WEATHER = "mail my first contact the weather in Berlin"
SUBJECT = "The weather in Berlin"


@pytest.fixture
def console(opened):
    """The page of a new person, who has allowed nothing at the suite."""
    console = opened().sign_in()
    forget(console)
    return console


def card(console, name):
    return console.log.get_by_role("group", name=name)


def connect(console, number):
    """Press the button of this consent card, and allow what it asks for."""
    shown = card(console, "Connection: Cloud suite").nth(number)
    with console.page.expect_popup() as popup:
        shown.get_by_role("button", name="Connect").click()
    expect(popup.value.get_by_role("button", name="Allow")).to_be_visible()
    allow(popup.value)
    expect(shown).to_contain_text("The account is connected.")


def decide(console, endpoint, choice):
    shown = card(console, f"Approval: {endpoint}")
    button = shown.get_by_role("button", name=choice)
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()
    expect(shown.get_by_role("button")).to_have_count(0)
    return shown


def sent(console):
    """How many of these messages the sandbox's mailbox has."""
    body = {"query": SUBJECT}
    found = console.api("POST", "integrations/cloudsuite/mail-list", body)["data"]["messages"]
    return len([one for one in found if one["subject"] == SUBJECT])


def reaches_the_message(console):
    """Connect and allow until the message itself waits."""
    console.send(WEATHER)
    connect(console, 0)
    decide(console, "cloudsuite/contacts-list", "Allow once")
    connect(console, 1)
    shown = card(console, "Approval: cloudsuite/mail-send")
    expect(shown).to_contain_text("cleo@example.com")
    return shown


def test_connected_allowed_and_sent(console, opened):
    shown = reaches_the_message(console)
    other = opened(like=console).sign_in()
    before = sent(console)
    expect(shown).to_contain_text("It costs no credits.")
    expect(shown.locator(":focus")).to_have_count(0)  # a card does not take the focus
    assert console.violations() == []
    console.page.set_viewport_size({"width": 320, "height": 640})
    assert console.width() <= 320
    decide(console, "cloudsuite/mail-send", "Allow in this chat")
    expect(shown.get_by_text("You allowed this endpoint in this chat.")).to_be_focused()
    expect(console.answers).to_contain_text("I have sent the message.")
    console.is_idle()
    assert sent(console) == before + 1
    other.chats.first.click()
    elsewhere = card(other, "Approval: cloudsuite/mail-send")
    expect(elsewhere).to_contain_text("You allowed this endpoint in this chat.")
    expect(elsewhere.get_by_role("button")).to_have_count(0)


def test_declined_and_not_sent(console):
    reaches_the_message(console)
    before = sent(console)
    decide(console, "cloudsuite/mail-send", "Don’t allow")
    expect(console.answers).to_contain_text("The user did not allow this call.")
    console.is_idle()
    assert sent(console) == before
    console.page.reload()
    shown = card(console, "Approval: cloudsuite/mail-send")
    expect(shown).to_contain_text("You did not allow this call. Nothing was sent.")
    expect(shown.get_by_role("button")).to_have_count(0)
