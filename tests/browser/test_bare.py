"""A service without the sandbox: no sandbox tables, and no model until one has a key."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.console_opening import opening
from tests.browser.page import Console
from tests.services import Service


@pytest.fixture(scope="module")
def without_sandbox(databases) -> Iterator[Service]:
    with Service(databases.make("sqlite"), SANDBOX=0) as service:
        yield service.start()


@pytest.fixture
def bare(tabs, without_sandbox) -> Iterator[Console]:
    with opening(tabs, without_sandbox) as open_one:
        yield open_one().open().fill_in()


def test_no_data_pane_without_collections(bare):
    data = bare.page.get_by_role("complementary", name="Data")
    expect(data).to_have_count(0)
    room = bare.page.locator(".talk-pane").bounding_box()
    assert room
    assert room["x"] + room["width"] == 1280
    bare.page.set_viewport_size({"width": 900, "height": 700})
    expect(bare.button("Conversation")).to_be_hidden()
    expect(bare.button("Data")).to_be_hidden()
    bare.page.set_viewport_size({"width": 375, "height": 700})
    expect(bare.button("Chats")).to_be_visible()
    expect(bare.button("Data")).to_be_hidden()
    assert bare.violations() == []


def test_the_model_picker_says_that_there_is_none(bare):
    picker = bare.page.get_by_label("Model", exact=True)
    expect(picker.locator("option:checked")).to_have_text("No model configured")
    expect(picker).to_have_value("")


SENT = """() => performance.getEntriesByType('resource')
  .filter(({ name }) => new URL(name).pathname.startsWith('/browser/'))
  .map(({ name, transferSize }) => [name, transferSize])"""


def test_a_browser_asks_for_no_file_of_the_console_again(bare):
    """Also those that a view loads when it is first shown."""
    bare.show_view("Usage")
    expect(bare.page.get_by_role("heading", name="Usage")).to_be_visible()
    bare.page.reload()
    expect(bare.page.get_by_role("heading", name="Usage")).to_be_visible()
    bytes_sent = dict(bare.page.evaluate(SENT))
    assert any("/usage/usage-view.js" in name for name in bytes_sent)
    assert len(bytes_sent) > 80
    assert set(bytes_sent.values()) == {0}
