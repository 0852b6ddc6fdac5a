"""The list of chats: create, rename, delete, and its order."""

from playwright.sync_api import expect


def test_a_chat_is_created_renamed_and_deleted(console):
    page = console.page
    console.button("New chat").click()
    expect(console.chats).to_have_count(1)
    expect(console.composer).to_be_focused()
    console.chats.first.hover()
    page.get_by_role("button", name="Rename New chat").click()
    page.keyboard.type("The plan")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The plan")).to_be_visible()
    assert console.api("GET", "records/ai-chats")["records"][0]["data"]["title"] == "The plan"
    console.chats.first.hover()
    page.get_by_role("button", name="Delete The plan").click()
    expect(page.get_by_role("dialog")).to_contain_text("The plan")
    expect(console.button("Cancel")).to_be_focused()
    console.button("Delete").click()
    expect(console.chats).to_have_count(0)
    expect(console.button("New chat")).to_be_focused()
    assert console.api("GET", "records/ai-chats")["records"] == []


def test_escape_deletes_nothing_and_renames_nothing(console):
    page = console.page
    console.button("New chat").click()
    console.chats.first.hover()
    page.get_by_role("button", name="Delete New chat").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Delete New chat")).to_be_focused()
    page.get_by_role("button", name="Rename New chat").click()
    page.keyboard.type("no")
    page.keyboard.press("Escape")
    expect(console.chats.first.get_by_role("link")).to_be_focused()
    expect(console.chats).to_contain_text(["New chat"])


def test_a_title_that_is_refused_is_kept_for_another_try(console):
    console.may_say("503")
    page = console.page
    console.button("New chat").click()
    console.chats.first.hover()
    page.get_by_role("button", name="Rename New chat").click()
    body = {"error": "unavailable", "message": "The database is away."}
    page.route("**/api/ai/chats/*", lambda route: route.fulfill(status=503, json=body))
    page.keyboard.type("Plans")
    page.keyboard.press("Enter")
    expect(page.locator(".chats-pane [role=alert]")).to_contain_text("The database is away.")
    expect(page.get_by_label("Title of the chat")).to_have_value("Plans")


def test_the_newest_activity_comes_first(opened):
    console = opened()
    for title in ("one", "two", "three"):
        console.new_chat(title)
    console.sign_in()
    expect(console.page.locator(".chat-title")).to_have_text(["three", "two", "one"])
    console.page.get_by_text("one", exact=True).click()
    console.ask("count to 3")
    expect(console.page.locator(".chat-title")).to_have_text(["one", "three", "two"])


def test_what_happens_to_chats_elsewhere_shows_here(console):
    chat = console.new_chat("made elsewhere")
    expect(console.chats).to_contain_text(["made elsewhere"])
    console.page.get_by_text("made elsewhere").click()
    console.composer.fill("half a sentence")
    console.api("PATCH", f"ai/chats/{chat}", {"title": "renamed elsewhere"})
    expect(console.page.get_by_role("heading", name="renamed elsewhere")).to_be_visible()
    console.api("DELETE", f"ai/chats/{chat}")
    expect(console.problem).to_contain_text("not there any more")
    expect(console.composer).to_have_value("half a sentence")
