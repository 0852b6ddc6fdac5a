"""The pages that tests use one after another: one test must not disturb the next."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.console_opening import opening
from tests.browser.tabs import NEUTRAL, SIGN_OUT, Tabs
from tests.services import Service

CHANGES = {
    "variable": "window.heard = []",
    "function": "window.open = () => null",
    "browser": "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
    "attribute": "document.documentElement.dir = 'rtl'",
    "dialog": "document.body.append(document.createElement('dialog'))",
    "address": "history.replaceState(null, '', '/app/note')",
}


def left(tabs: Tabs, service: Service, script: str) -> Page:
    """The page after a test that has run this script in it."""
    with opening(tabs, service) as open_one:
        page = open_one().sign_in().page
        page.evaluate(script)
    return page


def test_the_console_stays_loaded_without_its_person(tabs, running):
    page = left(tabs, running, "sessionStorage.mine = location.hash = '#/usage'")
    expect(page.get_by_label("Sign-in token")).to_be_visible()
    assert page.url == f"{running.url}/"
    assert page.evaluate("sessionStorage.length") == 0


@pytest.mark.parametrize("script", CHANGES.values(), ids=CHANGES)
def test_a_console_that_a_test_has_changed_does_not_stay(tabs, running, script):
    assert left(tabs, running, script).url == running.url + NEUTRAL


def test_a_request_that_a_test_leaves_under_way_ends_without_an_error(tabs, running):
    with opening(tabs, running) as open_one:
        page = open_one().sign_in().page
        page.route("**/absent", lambda route: None)
        page.evaluate("void fetch('/absent').catch(() => document.title = 'Ended')")
        assert page.evaluate(SIGN_OUT, running.url)
        expect(page).to_have_title("Ended")
