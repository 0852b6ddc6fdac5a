"""Finding chats and messages: search, pinned chats, files and the palette, also by keyboard."""

import json

from playwright.sync_api import expect

from tests.browser.canvas import Canvas
from tests.browser.key_events import COMPOSING


def said(console, title, *texts):
    """A chat in which these texts were repeated; returns its id."""
    chat = console.new_chat(title)
    for number, text in enumerate(texts):
        message = {"chatId": chat, "userMessageId": f"{chat}-{number}"}
        body = {**message, "content": f"repeat after me: {text}"}
        console.api_text("POST", "ai/chat", body)
    return chat


def test_a_chat_is_found_by_a_word_of_a_message(console):
    page, search = console.page, console.page.get_by_label("Search chats")
    many = [f"message {number}" for number in range(12)]
    said(console, "Travels", "the train to Kyoto", "北京的天气", *many)
    said(console, "Cooking", "a soup")
    expect(console.chats).to_have_count(2)
    search.fill("train kyo")
    hit = page.locator(".search-hits a")
    expect(hit).to_have_count(1)
    expect(hit.locator("mark")).to_have_text(["train", "Kyo"])
    expect(console.chats.first).to_be_hidden()
    assert console.violations() == []
    search.press("Enter")
    expect(page.get_by_role("heading", name="Travels")).to_be_visible()
    found = page.locator(".message.found")
    expect(found).to_contain_text("the train to Kyoto")
    expect(found).to_be_in_viewport()
    search.fill("京的")
    expect(hit).to_contain_text(["Travels"])
    search.press("ArrowDown")
    expect(hit.first).to_be_focused()
    page.keyboard.press("Escape")
    search.press("Escape")
    expect(console.chats).to_have_count(2)
    expect(search).to_have_value("")
    search.fill("nowhere")
    expect(page.get_by_text("No chats found.")).to_be_visible()


def test_the_keys_of_an_input_method_choose_nothing_else(console):
    page, search = console.page, console.page.get_by_label("Search chats")
    said(console, "Travels", "the train to Kyoto")
    message = page.get_by_label("Message", exact=True)
    message.fill("ky")
    message.evaluate(COMPOSING, "Enter")
    expect(message).to_have_value("ky")
    search.fill("Kyo")
    expect(page.locator(".search-hits a")).to_have_count(1)
    for key in ("Enter", "Escape"):
        search.evaluate(COMPOSING, key)
    expect(search).to_have_value("Kyo")
    search.fill("")
    console.choose("Travels", "Rename")
    title = page.get_by_label("Title of the chat")
    title.fill("ky")
    for key in ("Enter", "Escape"):
        title.evaluate(COMPOSING, key)
    expect(title).to_be_focused()
    task = page.get_by_label("New task")
    task.fill("Book")
    task.press("Enter")
    cell = page.get_by_label("Title of Book")
    cell.fill("Bo")
    cell.evaluate(COMPOSING, "Escape")
    expect(cell).to_have_value("Bo")
    expect(page.get_by_role("heading", name="Travels")).to_have_count(0)
    canvas = Canvas(console).create()
    name = canvas.page.get_by_label("Title of the canvas")
    name.fill("ky")
    name.evaluate(COMPOSING, "Enter")
    expect(name).to_be_focused()


def test_a_chat_is_pinned_renamed_in_its_place_and_exported(console):
    page, titles = console.page, console.page.locator(".chat-title")
    for title in ("one", "two", "three"):
        said(console, title, "hello")
    expect(titles).to_have_text(["three", "two", "one"])
    console.choose("one", "Rename")
    page.keyboard.type("first")
    page.keyboard.press("Enter")
    expect(titles).to_have_text(["three", "two", "first"])
    console.choose("two", "Pin")
    expect(titles).to_have_text(["two", "three", "first"])
    expect(page.get_by_role("list", name="Pinned")).to_contain_text("two")
    with page.expect_download() as saving:
        console.choose("first", "Export as JSON")
    assert saving.value.suggested_filename == "first.json"
    told = json.loads(saving.value.path().read_text())
    assert [message["data"]["role"] for message in told["messages"]] == ["user", "assistant"]
    console.choose("two", "Unpin")
    expect(titles).to_have_text(["three", "two", "first"])


def test_the_first_tab_stop_skips_the_header_and_a_slash_searches(console):
    page, skip = console.page, console.page.get_by_role("link", name="Skip to the content")
    console.ask("count to 2")
    skip.focus()
    expect(skip).to_be_in_viewport()
    assert console.violations() == []
    page.keyboard.press("Enter")
    expect(console.log).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Search chats")).to_be_focused()
    page.keyboard.type("a/b")
    expect(page.get_by_label("Search chats")).to_have_value("a/b")
    page.get_by_role("navigation", name="Views").get_by_text("Explorer").click()
    first = "document.querySelector('.workspace a').matches('.skip-link')"
    assert page.evaluate(first)
