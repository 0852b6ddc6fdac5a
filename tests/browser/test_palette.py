"""The command palette and the list of shortcuts, by keyboard alone."""

import json

from playwright.sync_api import expect

from tests.browser.data_view import panel, show
from tests.browser.explorer import Explorer
from tests.browser.held_traffic import first_of
from tests.browser.key_events import ALT_GR
from tests.browser.page import UNENDING

PRESS = """() => !document.dispatchEvent(
  new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, cancelable: true }))"""


def opened_palette(console):
    console.page.keyboard.press("Control+k")
    field = console.page.get_by_role("combobox", name="Search and commands")
    expect(field).to_be_focused()
    return field


def active(console):
    return console.page.locator(".palette [role=option][aria-selected=true]")


def test_chats_endpoints_and_messages_are_reached_by_keyboard(console):
    page, keys = console.page, console.page.keyboard
    chat = console.new_chat("Travels")
    body = {"chatId": chat, "userMessageId": f"{chat}-0", "content": "the train to Kyoto"}
    console.api_text("POST", "ai/chat", body)
    opened_palette(console)
    expect(active(console)).to_have_text("New chat")
    expect(page.locator(".palette").get_by_role("option", name="Admin")).to_have_count(0)
    keys.press("End")
    keys.press("ArrowDown")
    expect(active(console)).to_have_text("New chat")
    keys.type("trvels")
    expect(active(console)).to_contain_text("Travels")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="Travels")).to_be_visible()
    opened_palette(console).fill("weather-for")
    expect(page.get_by_role("group", name="Endpoints")).to_be_visible()
    assert console.violations() == [], "typed"
    keys.press("Enter")
    expect(page.get_by_role("heading", name="weather-forecast")).to_be_visible()
    opened_palette(console).fill("train kyoto")
    found = page.get_by_role("group", name="In messages").get_by_role("option")
    expect(found).to_contain_text(["the train to Kyoto"])
    expect(page.locator(".palette").get_by_role("status")).to_have_text("1 result")
    keys.press("Enter")
    expect(page.locator(".message.found")).to_contain_text("the train to Kyoto")


def test_what_is_typed_while_the_palette_is_being_loaded_stands_in_it(opened):
    console = opened(fresh=True).sign_in()
    held = []
    console.page.route("**/console/palette.js", lambda route: held.append(route))
    console.composer.fill("a draft")
    with console.page.expect_request("**/console/palette.js"):
        console.page.keyboard.press("Control+k")
    console.page.keyboard.type("weather-forr")
    assert not console.composer.evaluate(ALT_GR, "@")  # the composer does not get it
    console.page.keyboard.press("Backspace")
    console.page.keyboard.press("Backspace")
    console.page.keyboard.press("Enter")  # sends nothing
    first_of(held, console.page).continue_()
    field = console.page.get_by_role("combobox", name="Search and commands")
    expect(field).to_have_value("weather-for")
    expect(console.page.get_by_role("group", name="Endpoints")).to_be_visible()
    console.page.keyboard.press("Escape")
    expect(console.composer).to_have_value("a draft")
    expect(console.composer).to_be_focused()


def test_the_palette_that_is_asked_for_before_the_page_has_loaded_opens_then(opened):
    console, held = opened(fresh=True).sign_in(), []
    page = console.page
    field = page.get_by_role("combobox", name="Search and commands")
    page.route("**/console/workspace.js", lambda route: held.append(route))
    page.reload(wait_until="commit")
    workspace = first_of(held, page)
    page.wait_for_function(PRESS)  # until the first script has run
    workspace.continue_()
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.press("Control+k")
    expect(field).to_have_count(0)


def test_what_alt_gr_types_is_no_command(console):
    page = console.page
    field = opened_palette(console)
    assert field.evaluate(ALT_GR, "k")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    main = page.locator("#main")
    main.focus()
    main.evaluate(ALT_GR, "k")
    main.evaluate(ALT_GR, "?")  # where AltGr and W type it
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    main.evaluate(ALT_GR, "/")
    expect(main.locator("input[type=search]").first).to_be_focused()


def test_a_palette_that_does_not_come_keeps_the_keyboard_from_nothing_else(opened):
    console = opened(fresh=True).sign_in()
    page = console.page
    page.route("**/console/palette.js", lambda route: None)
    console.composer.focus()
    with page.expect_request("**/console/palette.js"):
        page.keyboard.press("Control+k")
    page.keyboard.press("Tab")
    expect(console.composer).not_to_be_focused()
    console.sign_out()
    token = page.get_by_label("Sign-in token")
    token.press_sequentially("abc")
    expect(token).to_have_value("abc")


def test_escape_closes_the_palette_only_and_gives_the_focus_back(console):
    page, keys = console.page, console.page.keyboard
    console.send(UNENDING)
    expect(console.answers.last).to_contain_text("1 2 3")
    expect(console.composer).to_be_focused()
    opened_palette(console)
    keys.press("Tab")  # Escape in a text field is not for the reply anyway
    expect(console.button("Close")).to_be_focused()
    keys.press("Escape")
    expect(page.locator(".palette")).to_have_count(0)
    expect(console.composer).to_be_focused()
    expect(console.button("Stop")).to_be_enabled()  # it is disabled as soon as a reply is stopped
    keys.press("Escape")
    console.is_idle()


def test_control_enter_in_a_long_text_presses_the_button_of_its_form(console):
    page, keys = show(console), console.page.keyboard
    console.button("New task").click()
    page.get_by_label("Title").fill("Old")
    keys.press("Control+Enter")
    page.get_by_role("link", name="Open Old").click()
    panel(page).get_by_label("Title").fill("New")
    keys.press("Control+Enter")
    expect(panel(page).get_by_role("status")).to_have_text("Saved.")
    page.route("**/api/integrations/price/*", lambda route: None)  # its button rests until then
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    Explorer(console).show().open("generate-text").fill(prompt="Hello")
    keys.press("Control+Enter")
    expect(console.button("Send")).to_be_disabled()
    keys.press("Control+Enter")
    expect(console.page.get_by_label("prompt", exact=True)).to_have_value("Hello")
    assert len([url for url in asked if "/price/" in url]) == 1


def test_a_page_that_is_chosen_in_the_menu_is_announced(console):
    link = console.page.get_by_role("link", name="Data", exact=True)
    link.press("Enter")
    announcer = console.page.locator("#announcer")
    expect(announcer).to_have_text("Data")
    expect(link).to_be_focused()
    show(console)
    console.show_view("Usage")
    expect(announcer).to_have_text("Usage")
    show(console, "notes")  # and not to what was left there
    expect(announcer).to_have_text("Notes")


def test_a_question_mark_lists_the_shortcuts_but_not_in_a_text(opened):
    console = opened(viewport={"width": 320, "height": 640}).sign_in()
    page, keys = console.page, console.page.keyboard
    console.composer.press("?")
    expect(console.composer).to_have_value("?")
    console.show_account()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    assert "" not in dialog.locator("kbd").all_inner_texts()
    expect(dialog.get_by_role("table", name="Everywhere")).to_contain_text("F6")
    assert console.violations() == []
    assert console.width() <= 320
    keys.press("Escape")
    expect(page.get_by_role("button", name="Account of")).to_be_focused()
    keys.press("?")
    expect(dialog).to_be_visible()
    page.evaluate("location.hash = '#/data'")  # as the page does when a new chat has its address
    expect(page.locator(".data-view")).to_be_attached()
    expect(dialog).to_be_visible()
    keys.press("Escape")
    opened_palette(console)
    assert console.violations() == []
    assert console.width() <= 320


def test_the_palette_the_explorer_and_the_cards_share_one_catalog(console):
    urls = []
    console.page.on("request", lambda request: urls.append(request.url))
    call = {"endpoint": "current-weather", "body": {"city": "Berlin"}}
    console.ask(f"call integrations.call with {json.dumps(call)}")
    Explorer(console).show()
    opened_palette(console).fill("weather-for")
    expect(console.page.get_by_role("group", name="Endpoints")).to_be_visible()
    assert len([url for url in urls if url.endswith("/integrations/catalog")]) == 1
