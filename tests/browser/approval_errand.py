"""An errand of the sandbox's assistant whose calls wait for their user, card by card."""

from playwright.sync_api import expect

from tests.browser.office_suite import allow

WEATHER = "mail my first contact the weather in Berlin"


SUBJECT = "The weather in Berlin"


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


def sent_count(console):
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
