"""The developer's page shows any template with a pretended canvas."""

import pytest
from playwright.sync_api import expect

from service.widgets.templates import BUILT_IN

HANDLES = sorted(path.parent.name for path in BUILT_IN.glob("*/manifest.json"))


# They have every kind of control between them: endpoints that ask, endpoints that don't, inputs,
# outputs, collections. What is inside of a frame is looked at with the templates.
OF_EVERY_KIND = ("mail", "table")


@pytest.fixture
def page(opened):
    """The developer's page of the template `note`, whose controls are there."""
    page = opened().open("/dev/widget/note").page
    expect(page.get_by_role("region", name="Message inspector")).to_be_visible()
    return page


def test_every_template_starts_on_the_developer_page(opened):
    console = opened()
    inspector = console.page.get_by_role("region", name="Message inspector")
    for handle in HANDLES:
        console.open(f"/dev/widget/{handle}")
        expect(inspector.get_by_text("widget-welcome")).to_be_visible()
        expect(inspector.get_by_text("Dropped")).to_have_count(0)
        assert handle not in OF_EVERY_KIND or console.violations() == [], handle


def test_a_widget_is_told_the_defaults_of_its_settings(opened):
    page = opened().open("/dev/widget/weather").page
    inspector = page.get_by_role("region", name="Message inspector")
    expect(inspector.get_by_text('"settings":{"units":"metric"}')).to_be_visible()


def test_a_value_for_an_input_comes_out_again(page):
    page.get_by_label("Input: Fill in", exact=True).fill('{"value": "Buy milk"}')
    page.get_by_role("button", name="Send: Input: Fill in").click()
    note = page.frame_locator("iframe").get_by_label("Note", exact=True)
    expect(note).to_have_value("Buy milk")
    expect(page.get_by_role("list", name="Outputs")).to_contain_text('{"value":"Buy milk"}')


def test_an_input_takes_the_value_that_stands_in_its_field_at_first(page):
    page.get_by_role("button", name="Send: Input: Fill in").click()
    inspector = page.get_by_role("region", name="Message inspector")
    expect(inspector.get_by_text('{"slotId":"fill","value":{"value":""}}')).to_be_visible()
    expect(inspector.get_by_text("Dropped")).to_have_count(0)


def test_what_is_no_object_of_json_is_not_sent(page):
    page.get_by_label("Input: Fill in", exact=True).fill("Buy milk")
    page.get_by_role("button", name="Send: Input: Fill in").click()
    expect(page.get_by_role("alert").filter(has_text="Write an object of JSON.")).to_be_visible()


def test_a_message_that_has_no_text_is_listed_too(page):
    expect(page.get_by_text("widget-welcome")).to_be_visible()
    page.frames[1].evaluate(
        "() => { const value = {}; value.self = value;"
        " parent.postMessage({ type: 'widget-io-output-update', slotId: 'text', value }, '*'); }"
    )
    expect(page.locator(".message-log li").filter(has_text="not_json")).to_have_count(2)
