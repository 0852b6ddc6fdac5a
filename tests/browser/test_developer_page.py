"""The developer's page shows any template with a pretended canvas."""

from playwright.sync_api import expect

# They have every part of a manifest between them: endpoints that ask and endpoints that don't,
# settings, inputs, outputs, collections. Each template starts in the tests of the templates.
HANDLES = ("mail", "table", "weather")


def test_templates_with_every_part_start_on_the_developer_page(opened):
    console = opened()
    inspector = console.page.get_by_role("region", name="Message inspector")
    for handle in HANDLES:
        console.open(f"/dev/widget/{handle}")
        expect(inspector.get_by_text("widget-welcome")).to_be_visible()
        expect(inspector.get_by_text("Dropped")).to_have_count(0)
        if handle == "weather":  # the defaults of its settings
            expect(inspector.get_by_text('"settings":{"units":"metric"}')).to_be_visible()
        else:
            assert console.violations() == [], handle


def test_a_value_for_an_input_comes_out_again_and_each_message_is_listed(opened):
    """Also the value that the field has at first, and a message without a text."""
    page = opened().open("/dev/widget/note").page
    inspector = page.get_by_role("region", name="Message inspector")
    send = page.get_by_role("button", name="Send: Input: Fill in")
    send.click()
    sent = inspector.get_by_text('{"slotId":"fill","value":{"value":""}}')
    expect(sent.first).to_be_visible()  # a value from before the hello is sent again after it
    expect(inspector.get_by_text("Dropped")).to_have_count(0)
    value = page.get_by_label("Input: Fill in", exact=True)
    value.fill("Buy milk")
    send.click()
    refusal = page.get_by_role("alert").filter(has_text="Write an object of JSON.")
    expect(refusal).to_be_visible()
    value.fill('{"value": "Buy milk"}')
    send.click()
    note = page.frame_locator("iframe").get_by_label("Note", exact=True)
    expect(note).to_have_value("Buy milk")
    expect(page.get_by_role("list", name="Outputs")).to_contain_text('{"value":"Buy milk"}')
    page.frames[1].evaluate(
        "() => { const value = {}; value.self = value;"
        " parent.postMessage({ type: 'widget-io-output-update', slotId: 'text', value }, '*'); }"
    )
    expect(page.locator(".message-log li").filter(has_text="not_json")).to_have_count(2)
