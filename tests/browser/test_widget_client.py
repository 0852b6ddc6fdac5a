"""The widget client in a page of its own, against the running service with a user's token."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.office_suite import allow, forget
from tests.browser.page import Console
from tests.browser.tabs import NEUTRAL
from tests.services import wait_for

# Leaves `client` in the page, and `fault`: what a widget sees of an error.
START = """async (token) => {
  const { createWidgetClient } = await import('/browser/widgets/widget-client.js');
  window.client = createWidgetClient({ getToken: async () => token });
  window.fault = (error) => ({
    name: error.name, code: error.code, status: error.status, needed: error.needed,
    available: error.available, scopes: error.scopes, nearest: error.facts?.nearest,
    fields: error.fields, requestId: error.requestId,
  });
}"""
CALL = "([endpoint, body]) => client.post(endpoint, body).catch(fault)"


@pytest.fixture
def alone(opened) -> Console:
    """A page of the service that does nothing, with the client of a new person."""
    console = opened().open(NEUTRAL)
    console.may_say("404")  # of its icon: the page has none
    console.page.evaluate(START, console.token)
    return console


def call(console: Console, endpoint: str, body: dict[str, Any]) -> dict[str, Any]:
    return console.page.evaluate(CALL, [endpoint, body])


def test_the_page_is_alone_and_asks_nobody(alone):
    assert alone.page.evaluate("client.ready.then(({ mode }) => mode)") == "standalone"
    assert alone.page.evaluate("client.listWidgets()") == []


def test_a_call_gives_the_data_and_is_paid_by_the_user(alone):
    answer = call(alone, "generate-text", {"prompt": "Say hello."})
    assert answer["text"]
    calls = alone.api("GET", "credits")["entries"]
    assert len(calls) == 2  # the starting credits, and this


def test_a_get_has_its_parameters_in_the_query(alone):
    answer = alone.page.evaluate(
        "client.get('geocode-city', { city: 'Berlin', count: 1 }).catch(fault)"
    )
    assert answer["results"]


def test_an_error_has_the_id_by_which_the_operator_finds_it(alone):
    fault = call(alone, "current-wether", {})
    assert (fault["code"], fault["status"]) == ("unknown_endpoint", 404)
    assert "current-weather" in fault["nearest"]
    wait_for(lambda: fault["requestId"] in alone.service.log.read_text())


def test_a_wrong_body_names_its_fields(alone):
    alone.may_say("400")
    fault = call(alone, "generate-text", {"promt": "hello"})
    assert fault["name"] == "ValidationError"
    assert set(fault["fields"]) == {"promt"}


def test_who_has_not_enough_credits_is_told_how_many_are_needed(alone):
    alone.may_say("402")
    while alone.api("GET", "credits")["balance"] >= 200:
        alone.api("POST", "integrations/aivideo-create-video", {"prompt": "A cat."})
    fault = call(alone, "aivideo-create-video", {"prompt": "A dog."})
    assert fault["name"] == "InsufficientCreditsError"
    assert 0 <= fault["available"] < fault["needed"] <= 200


def test_a_token_that_is_not_valid_is_refused(alone):
    alone.may_say("401")
    alone.page.evaluate(START, "no-token")
    assert call(alone, "generate-text", {"prompt": "hello"})["code"] == "unauthorized"


def test_a_missing_consent_is_an_error_that_says_which(alone):
    forget(alone)
    fault = call(alone, "cloudsuite/drive-list", {})
    assert fault["name"] == "OAuthRequiredError"
    assert [scope.rsplit("/", 1)[1] for scope in fault["scopes"]] == ["drive.readonly"]


LIST = """() => {
  const work = () => client.post('cloudsuite/drive-list');
  window.listed = client.withConnection(work).catch(fault);
}"""


def test_after_the_consent_the_same_call_answers(alone):
    forget(alone)
    with alone.page.expect_popup() as opened:
        alone.page.evaluate(LIST)
    expect(dialog(alone.page)).to_be_visible()
    allow(opened.value)
    assert alone.page.evaluate("listed")["files"]
    expect(dialog(alone.page)).to_have_count(0)
    assert alone.page.evaluate("['drive', 'mailRead'].map((flag) => client.scopes.has(flag))") == [
        True, False,
    ]  # fmt: skip


def test_where_windows_are_blocked_the_dialog_has_a_link(alone):
    forget(alone)
    alone.page.evaluate("window.open = () => null")
    alone.page.evaluate(LIST)
    with alone.page.context.expect_page() as opened:
        dialog(alone.page).get_by_role("link", name="Open the page").click()
    allow(opened.value)
    assert alone.page.evaluate("listed")["files"]


def test_who_cancels_gets_the_error(alone):
    forget(alone)
    with alone.page.expect_popup():
        alone.page.evaluate(LIST)
    dialog(alone.page).get_by_role("button", name="Cancel").click()
    assert alone.page.evaluate("listed")["code"] == "oauth_required"


def dialog(page: Page):
    return page.get_by_role("dialog", name="Connect your cloudsuite account")
