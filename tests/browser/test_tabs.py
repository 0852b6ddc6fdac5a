"""The pages that tests use one after another: one test must not disturb the next."""

from collections.abc import Iterator

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


def test_a_console_that_a_test_has_changed_does_not_stay(tabs, running):
    assert left(tabs, running, CHANGES["variable"]).url == running.url + NEUTRAL


@pytest.fixture(scope="module")
def loaded(tabs, running) -> Iterator[Page]:
    """A console that nobody has signed in to."""
    page = tabs.take(own=True)
    yield page
    tabs.give_back(page, running.url)


@pytest.mark.parametrize("script", CHANGES.values(), ids=CHANGES)
def test_each_change_of_a_console_is_found(loaded, running, script):
    loaded.goto(running.url + NEUTRAL)
    loaded.goto(running.url)
    expect(loaded.get_by_label("Sign-in token")).to_be_visible()
    assert loaded.evaluate(SIGN_OUT, running.url)
    loaded.evaluate(script)
    assert not loaded.evaluate(SIGN_OUT, running.url)


def test_a_request_that_a_test_leaves_under_way_ends_without_an_error(tabs, running):
    with opening(tabs, running) as open_one:
        page = open_one().sign_in().page
        page.route("**/absent", lambda route: None)
        page.evaluate("void fetch('/absent').catch(() => document.title = 'Ended')")
        assert page.evaluate(SIGN_OUT, running.url)
        expect(page).to_have_title("Ended")
