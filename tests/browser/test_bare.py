"""A service that is no sandbox: no tables of the sandbox's, and no model until one has a key."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from service.auth.tokens import issue
from tests.browser.page import Console
from tests.services import Service, settings_for


@pytest.fixture
def bare(browser, databases) -> Iterator[Console]:
    service = Service(databases.make("sqlite"), SANDBOX=0)
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    console = Console(page, service, token, "alice")
    try:
        service.start()
        yield console.sign_in()
        assert console.errors == []
    finally:
        page.context.close()
        service.remove()


def test_nothing_speaks_of_tables_that_there_are_not(bare):
    records = bare.page.get_by_role("complementary", name="Records")
    expect(records).to_have_count(0)
    room = bare.page.locator(".talk-pane").bounding_box()
    assert room
    assert room["x"] + room["width"] == 1280
    bare.page.set_viewport_size({"width": 900, "height": 700})
    expect(bare.button("Talk")).to_be_hidden()
    bare.page.set_viewport_size({"width": 375, "height": 700})
    expect(bare.button("Chats")).to_be_visible()
    expect(bare.button("Records")).to_be_hidden()
    assert bare.violations() == []


def test_the_model_picker_says_that_there_is_none(bare):
    picker = bare.page.get_by_label("Model")
    expect(picker.locator("option:checked")).to_have_text("No model configured")
    expect(picker).to_have_value("")
