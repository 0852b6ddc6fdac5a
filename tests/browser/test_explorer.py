"""The endpoint explorer: finding an endpoint, its form, its price, its answer."""

import re
from math import ceil

import pytest
from playwright.sync_api import expect

from tests.browser.explorer import Explorer
from tests.browser.held_traffic import first_of
from tests.browser.key_events import COMPOSING
from tests.browser.office_suite import allow, forget

SOME = re.compile("calendar-|generate-image|search-crypto|current-weather|cloudsuite/drive")


@pytest.fixture
def explorer(console) -> Explorer:
    return Explorer(console).show()


def test_an_answer_comes_into_view_where_it_stands_below_the_form(opened):
    console = opened(viewport={"width": 390, "height": 700}).sign_in()
    explorer = Explorer(console).show().open("weather-forecast")
    explorer.field("city").fill("Berlin")
    explorer.field("city").press("Enter")
    expect(explorer.answer.get_by_role("table")).to_be_in_viewport()
    console.may_say("400")
    explorer.field("city").fill("B")
    explorer.field("city").press("Enter")  # the form says what is wrong
    expect(explorer.field("city")).to_be_in_viewport()


def test_an_endpoint_is_found_by_a_word_and_answers(explorer):
    search = explorer.page.get_by_label("Search endpoints")
    search.fill("send email")
    expect(explorer.links).to_have_count(1)
    expect(explorer.links).to_contain_text("cloudsuite/mail-send")
    search.fill("weather now")
    search.press("Enter")
    expect(explorer.title).to_have_text("current-weather")
    explorer.fill(city="Berlin").send()
    expect(explorer.json).to_contain_text('"country": "Germany"')
    search.fill("no such words")
    expect(explorer.page.get_by_text("Nothing found")).to_be_visible()
    search.fill("profnet analyze")
    expect(explorer.links).to_contain_text("Up to 18.4 credits")
    name = explorer.links.locator(".endpoint-name")
    assert name.evaluate("(node) => node.scrollWidth <= node.clientWidth"), "beside a long price"
    search.fill("codehost-search-repositories")
    expect(explorer.links.locator("code")).to_have_text("language:")
    expect(explorer.links).not_to_contain_text("`")


def test_what_is_refused_is_marked_at_its_field_and_a_draft_survives_a_reload(explorer):
    explorer.console.may_say("400")
    explorer.open("calendar-create-events").open("current-weather")
    explorer.fill(city="B", latitude="north").send()
    expect(explorer.field("latitude")).to_have_attribute("aria-invalid", "true")
    expect(explorer.field("latitude")).to_be_focused()
    explorer.fill(latitude="").send()
    expect(explorer.field("city")).to_be_focused()
    expect(explorer.field("city")).to_have_accessible_description(re.compile("Length must be"))
    expect(explorer.answer.get_by_role("alert")).to_contain_text("Correct what is marked")
    explorer.page.reload()
    expect(explorer.field("city")).to_have_value("B")


def test_what_costs_is_asked_first_and_shown_as_a_picture(explorer):
    explorer.open("generate-image-llm").fill(prompt="a red boat").send()
    expect(explorer.dialog).to_contain_text("You have 1,000 credits.")
    explorer.console.button("Deny").click()
    entries = explorer.console.api("GET", "credits")["entries"]
    assert [entry["kind"] for entry in entries] == ["grant"]
    explorer.send()
    explorer.console.button("Allow once").click()
    picture = explorer.answer.get_by_role("img")
    expect(picture).to_be_visible()
    assert picture.evaluate("(img) => img.decode().then(() => img.naturalWidth)") > 0
    expect(explorer.page.locator(".amount")).not_to_have_text("1,000")


def test_sound_is_played_and_code_follows_the_form(explorer):
    explorer.open("text-to-speech").fill(text="It's me")
    code = explorer.page.get_by_role("region", name="Code", exact=True)
    expect(code).to_contain_text(r"""-d '{"text":"It'\''s me"}'""")
    explorer.console.button("Python").click()
    expect(code).to_contain_text('"text": "It\'s me"')
    assert explorer.console.token not in explorer.page.content()
    explorer.send()
    explorer.console.button("Allow once").click()
    sound = explorer.answer.locator("audio")
    expect(sound).to_be_visible()
    assert sound.evaluate("(audio) => audio.src").startswith(explorer.console.service.url)


def test_a_job_is_looked_at_until_it_ends_also_after_a_reload(explorer):
    running = {"success": True, "data": {"jobId": "any", "status": "running"}}
    job = re.compile("/api/integrations/jobs/")
    explorer.page.route(job, lambda route: route.fulfill(json=running))
    explorer.open("upscale-image").fill(image="https://example.com/photo.jpg", wait="0").send()
    explorer.console.button("Allow once").click()
    stop = explorer.console.button("Stop watching")
    with explorer.page.expect_response(job):
        stop.focus()
    with explorer.page.expect_response(job):
        expect(stop).to_be_focused()
    expect(stop).to_be_focused()
    explorer.page.reload()
    stop.focus()
    explorer.page.unroute_all()
    show = explorer.answer.get_by_role("button", name="Show picture from")
    expect(show).to_be_visible()
    expect(explorer.answer).to_be_focused()
    explorer.console.button("JSON").last.click()
    expect(explorer.json).to_contain_text('"status": "done"')


def test_consent_is_given_in_a_window_and_the_call_then_goes_out(explorer):
    forget(explorer.console)
    explorer.open("cloudsuite/contacts-list").send()
    explorer.console.button("Allow once").click()
    with explorer.page.expect_popup() as opened:
        explorer.console.button("Connect").click()
    allow(opened.value)
    expect(explorer.answer.get_by_role("table", name="contacts")).to_be_visible()
    explorer.send()
    explorer.console.button("Allow once").click()
    expect(explorer.answer.get_by_role("row").nth(1)).to_be_visible()


def test_lists_objects_and_the_whole_body_as_json(explorer):
    explorer.open("calendar-create-events").fill(title="Fair", start="2026-12-01")
    explorer.console.button("Add to attendees").click()
    explorer.field("attendee 1").fill("bob@example.com")
    modes = explorer.page.get_by_role("group", name="Edit the body as")
    modes.get_by_role("button", name="JSON").click()
    text = explorer.page.get_by_label("Body as JSON")
    expect(text).to_have_value(re.compile(r'"attendees": \[\s+"bob@example.com"'))
    text.fill('{"events": [{"title": "Other", "color": 5}]}')
    modes.get_by_role("button", name="Fields").click()
    expect(explorer.page.get_by_text("The fields have no place")).to_be_visible()
    text.fill('{"events": [{"title": "Other"}]}')
    modes.get_by_role("button", name="Fields").click()
    expect(explorer.field("title")).to_have_value("Other")


def test_the_keyboard_alone_is_enough(explorer):
    keyboard = explorer.page.keyboard
    explorer.page.get_by_label("Search endpoints").focus()
    keyboard.type("encyclopedia summary")
    explorer.page.get_by_label("Search endpoints").evaluate(COMPOSING, "ArrowDown")
    expect(explorer.page.get_by_label("Search endpoints")).to_be_focused()
    keyboard.press("ArrowDown")
    expect(explorer.links.first).to_be_focused()
    keyboard.press("ArrowUp")
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(explorer.title).to_have_text("encyclopedia-summary")
    explorer.field("title").focus()
    keyboard.type("San Francisco")
    keyboard.press("Enter")
    expect(explorer.json).to_be_visible()
    held = []
    calls = "**/api/integrations/encyclopedia-summary"
    explorer.page.route(calls, lambda route: held.append(route))
    send = explorer.console.button("Send")
    send.press("Enter")
    expect(send).to_be_disabled()
    first_of(held, explorer.page).continue_()
    expect(send).to_be_focused()


def with_some_endpoints(route):
    """Of several categories: the whole list looks the same, and takes axe a second each time."""
    answer = route.fetch()
    body = answer.json()
    body["endpoints"] = [one for one in body["endpoints"] if SOME.match(one["name"])]
    route.fulfill(response=answer, json=body)


def test_axe_finds_nothing_in_any_state(opened):
    console = opened(reduced_motion="reduce", fresh=True)
    console.page.route("**/api/integrations/catalog", with_some_endpoints)
    console.sign_in().may_say("400")
    forget(console)
    explorer = Explorer(console).show()
    assert 5 < explorer.links.count() < 30
    assert console.violations() == [], "the list"
    explorer.open("calendar-create-events")
    explorer.fill(title="Fair", start="2026-12-01T09:00:00Z", end="2026-12-01T10:00:00Z").send()
    console.button("Allow once").click()
    expect(console.button("Connect")).to_be_visible()
    assert console.violations() == [], "consent"
    explorer.open("generate-image-llm").fill(prompt="a red boat").send()
    expect(explorer.dialog).to_be_visible()
    assert console.violations() == [], "the dialog"
    console.button("Deny").click()
    explorer.fill(prompt="").send()
    expect(explorer.answer.get_by_role("alert")).to_be_visible()
    assert console.violations() == [], "refused"
    explorer.open("search-crypto").fill(query="bitcoin").send()
    expect(explorer.answer.get_by_role("table")).to_be_visible()
    assert console.violations() == [], "a table"


def test_nothing_scrolls_sideways_at_320_pixels(opened):
    console = opened(viewport={"width": 320, "height": 640}).sign_in()
    explorer = Explorer(console).show()
    assert console.width() <= 320
    explorer.open("search-crypto").fill(query="bitcoin").send()
    expect(explorer.answer.get_by_role("table")).to_be_visible()
    assert console.width() <= 320
    explorer.open("calendar-create-events")
    assert console.width() <= 320
    explorer.page.evaluate("scrollTo(0, 9999)")
    header = explorer.page.locator(".top").bounding_box()
    assert header
    assert header["y"] == 0, "the document scrolls below its header"
    for target in console.page.locator("button:visible, a:visible, select:visible").all():
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24, target.inner_text()
    explorer.page.get_by_role("link", name="All endpoints").click()
    expect(explorer.links.first).to_be_visible()


def test_a_part_that_can_not_be_loaded_is_asked_for_again(opened):
    console = opened(fresh=True).sign_in()
    console.may_say("Failed to load|ERR_FAILED|503")
    expect(console.page.locator(".live-word")).to_have_text("Live")  # it would try again by itself
    part = re.compile("integrations/explorer.css")
    console.page.route(part, lambda route: route.fulfill(status=503))
    console.show_view("Explorer")
    expect(console.page.get_by_text("can’t be loaded")).to_be_visible()
    console.button("Try again").press("Enter")
    expect(console.button("Try again")).to_be_focused()
    console.page.unroute_all()
    console.page.keyboard.press("Enter")
    expect(Explorer(console).links.first).to_be_visible()
    expect(console.page.get_by_label("Search endpoints")).to_be_focused()


def test_a_fault_is_told_with_the_id_of_its_request(explorer):
    explorer.console.may_say("502")
    body = {"success": False, "error": "upstream_provider_error", "message": "It failed."}
    explorer.page.route(
        "**/api/integrations/current-weather",
        lambda route: route.fulfill(status=502, json=body, headers={"X-Request-Id": "f00d"}),
    )
    explorer.open("current-weather").fill(city="Berlin").send()
    expect(explorer.answer).to_contain_text("It failed. Request id: f00d.")


def test_a_question_says_what_a_call_costs_at_most_and_ends_with_its_page(explorer):
    price = "integrations/price/generate-image"
    most = explorer.console.api("POST", price, {"prompt": "a red boat"})["credits"]
    best = {"prompt": "a red boat", "quality": "high"}
    assert explorer.console.api("POST", price, best)["credits"] > most
    explorer.open("generate-image").fill(prompt="a red boat").send()
    expect(explorer.dialog).to_contain_text(f"It costs you up to {ceil(most * 100) / 100} credits.")
    sent = explorer.dialog.get_by_role("region", name="Arguments")
    expect(sent).to_be_visible()
    expect(sent).to_contain_text('"prompt": "a red boat"')
    explorer.page.go_back()
    expect(explorer.links.first).to_be_visible()
    expect(explorer.dialog).to_have_count(0)
    explorer.page.go_forward()
    expect(explorer.console.button("Send")).to_be_enabled()
    assert explorer.console.api("GET", "records/integration-calls")["records"] == []


def test_a_balance_is_rounded_as_in_the_header(console):
    console.ask("hello")
    amount = console.page.locator(".amount")
    expect(amount).not_to_have_text("1,000")
    explorer = Explorer(console).show().open("text-to-speech").fill(text="Hello")
    explorer.send()
    left = amount.inner_text()
    assert re.fullmatch(r"999\.\d\d", left)
    expect(explorer.dialog).to_contain_text(f"You have {left} credits.")
