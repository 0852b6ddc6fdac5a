"""What can be done with a message, what ended each reply, and a chat in two tabs."""

import json
import re

from playwright.sync_api import Locator, expect

from tests.browser.held_traffic import HeldSocket, first_of
from tests.browser.page import UNENDING, Console


def bar(message: Locator) -> Locator:
    return message.get_by_role("toolbar")


def do(message: Locator, action: str) -> None:
    message.hover()
    bar(message).get_by_role("button", name=action, exact=True).click()


def texts(console: Console) -> list[str]:
    stored = console.api("GET", "records/ai-messages")["records"]
    return [record["data"]["content"] for record in stored]


def test_a_message_is_edited_in_its_place_and_its_reply_answered_anew(console):
    page, own = console.page, console.log.locator(".message.user")
    console.ask("repeat after me: one")
    console.ask("repeat after me: two")
    do(own.first, "Edit")
    editor = page.get_by_label("Edited message")
    expect(editor).to_be_focused()
    expect(page.get_by_text("Replaces the 3 messages after it")).to_be_visible()
    assert console.violations() == []
    page.keyboard.press("Escape")
    expect(bar(own.first).get_by_role("button", name="Edit")).to_be_focused()
    do(own.first, "Edit")
    editor.fill("repeat after me: three")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_contain_text("The 3 messages after this one")
    console.button("Replace").click()
    expect(own).to_have_text(["Yourepeat after me: three"])
    console.is_idle()
    do(console.answers.first, "Regenerate with another model")
    console.button("gen-5.4-mini").click()
    expect(bar(console.answers.first)).to_contain_text("gen-5.4-mini")
    console.is_idle()
    assert texts(console) == ["repeat after me: three", "three"]


def test_a_reply_says_what_ended_it_and_goes_on(console):
    page = console.page
    console.send(UNENDING)
    expect(console.answers.last).to_contain_text("1 2 3")
    expect(page).to_have_url(re.compile("#/chat/chat_"))
    page.keyboard.press("Escape")
    console.is_idle()
    console.button("Continue").click()
    expect(console.log.locator(".message.user").last).to_contain_text("Continue.")
    expect(console.answers).to_have_count(2)
    console.is_idle()
    page.reload()
    expect(bar(console.answers.first)).to_contain_text("Stopped · ")
    expect(bar(console.answers.first).get_by_role("button", name="Continue")).to_be_hidden()
    bar(console.answers.first).get_by_role("button", name="Stopped").click()
    expect(console.answers.first.locator("dl")).to_contain_text("out, estimated")
    assert console.violations() == []
    console.composer.press("ArrowUp")
    expect(console.composer).to_have_value("Continue.")


def test_changes_of_a_reply_are_taken_back_but_for_those_made_since(console):
    console.ask("add two tasks: call the caterer, print the programme")
    done = console.page.get_by_label("Done: print the programme")
    done.click()
    expect(done).to_be_checked()
    expect(done).to_be_enabled()
    do(console.answers.last, "Undo changes")
    dialog = console.page.get_by_role("dialog", name="Undo these changes?")
    expect(dialog).to_contain_text("The assistant has created 2 tasks.")
    assert console.violations() == []
    dialog.get_by_role("button", name="Undo changes").click()
    expect(console.answers.last).to_contain_text("Undone: 1 task.")
    expect(console.answers.last).to_contain_text("Left as before: 1 task. The record has been")
    expect(console.page.get_by_label("Title of call the caterer")).to_have_count(0)
    console.page.reload()
    expect(bar(console.answers.last)).to_contain_text("Changes undone · ")
    expect(console.answers.last.get_by_role("button", name="Undo changes")).to_be_hidden()


def test_a_reply_stays_in_its_place_when_it_is_known_what_ended_it(opened):
    console = opened(sockets=True, viewport={"width": 400, "height": 800}).sign_in()
    for _ in range(2):
        console.ask("add two tasks: call the caterer, print the programme")
    held = HeldSocket(console.page)
    console.page.reload()
    copy = bar(console.answers.first).get_by_role("button", name="Copy", exact=True)
    expect(copy).to_be_attached()
    undo = console.answers.first.get_by_role("button", name="Undo changes")
    expect(undo).to_be_hidden()
    expect(console.answers.last).to_be_visible()
    before = console.answers.first.bounding_box()
    held.let_go()
    expect(undo).to_be_visible()
    assert console.answers.first.bounding_box() == before


def failed_with_a_write(turn):
    """The stream of a turn that has made a task before it failed."""
    call = {"toolCallId": turn, "toolName": "records.create"}
    task = {"collection": "tasks", "data": {"title": "A"}}
    chunks = [
        {"type": "start", "messageId": f"m{turn}", "messageMetadata": {"turnId": turn}},
        {"type": "tool-input-available", **call, "input": task},
        {"type": "tool-output-available", "toolCallId": turn, "output": {"recordId": "r"}},
        {"type": "error", "errorText": "The model has failed."},
    ]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return {"content_type": "text/event-stream", "body": body}


def undo_of(place):
    """The button, once it is there: a key for a hidden one would go to what has the focus."""
    return place.get_by_role("button", name="Undo changes")


def take_back(console):
    with console.page.expect_request("**/undo"):
        undo_of(console.page.locator(".turn-note")).press("Enter")
        undo_of(console.page.get_by_role("dialog")).press("Enter")
    expect(console.page.get_by_role("dialog")).to_have_count(0)


def test_what_taking_back_has_come_to_is_told_of_the_chat_it_was_asked_for(console):
    page, note, held = console.page, console.page.locator(".turn-note"), []
    page.route("**/api/ai/turns/*/undo", lambda route: held.append(route))
    for title in ("One", "Two"):
        answer = failed_with_a_write(title)
        page.route("**/api/ai/chat", lambda route, answer=answer: route.fulfill(**answer), times=1)
        console.new_chat(title)
        console.open_chat(title)
        console.send(title)
        expect(undo_of(note)).to_be_visible()
        expect(note).to_contain_text("This reply is incomplete")
    take_back(console)
    undo_of(note).press("Enter")  # it is being taken back
    expect(page.get_by_role("dialog")).to_have_count(0)
    console.open_chat("One")
    undone = [{"collection": "tasks", "recordId": "r"}]
    first_of(held, page).fulfill(json={"undone": undone, "conflicts": []})
    held.clear()
    expect(page.locator("#announcer")).to_contain_text("Undone: 1 task.")
    expect(note).to_contain_text("This reply is incomplete")
    take_back(console)
    first_of(held, page).fulfill(json={"undone": undone * 2, "conflicts": []})
    expect(note.get_by_text("Undone: 2 tasks.")).to_be_focused()
    console.open_chat("Two")
    expect(note).to_contain_text("Undone: 1 task.")
    expect(undo_of(note)).to_be_hidden()


def test_a_second_tab_shows_a_reply_as_it_comes(console):
    console.ask("count to 2")
    page = console.page.context.new_page()
    other = Console(page, console.service, console.token, console.subject).sign_in()
    page.goto(console.page.url)
    expect(other.answers).to_have_count(1)
    console.send(UNENDING)
    expect(other.log.locator(".message.user").last).to_contain_text(UNENDING)
    expect(other.answers.last).to_contain_text("1 2 3")
    other.button("Stop").click()
    for tab in (console, other):
        tab.is_idle()
        expect(bar(tab.answers.last)).to_contain_text("Stopped")
    assert other.leave() == []


def test_a_first_message_without_an_answer_leaves_no_chat(console):
    console.send("/fail error-midway count to 20")
    expect(console.problem).not_to_be_empty()
    expect(console.chats).to_have_count(0)
    expect(console.page).to_have_url(re.compile("#/chat$"))
    expect(console.answers).to_contain_text(["1 2"])
    assert console.api("GET", "records/ai-chats")["records"] == []
    held = []
    console.page.route("**/api/ai/chat", lambda route: held.append(route), times=1)
    console.button("Try again").click()
    expect(console.page).to_have_url(re.compile("#/chat/chat_"))
    expect(console.problem).to_be_empty()
    first_of(held, console.page).continue_()
    expect(console.problem).not_to_be_empty()
    expect(console.chats).to_have_count(0)
    console.button("New chat").click()
    expect(console.composer).to_have_value("/fail error-midway count to 20")
    expect(console.log.locator(".message")).to_have_count(0)
    console.ask("count to 3")
    expect(console.chats).to_have_count(1)


def test_actions_are_one_tab_stop_and_are_there_on_touch(opened):
    console = opened(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    console.sign_in()
    console.ask("count to 2")
    console.ask("count to 3")
    first, last = (bar(console.answers.nth(number)) for number in (0, 1))
    for button in last.get_by_role("button").all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 40
    expect(first.locator("[tabindex='0']")).to_have_count(1)
    first.get_by_role("button").first.focus()
    console.page.keyboard.press("ArrowRight")
    expect(first.get_by_role("button", name="Copy", exact=True)).to_be_focused()
    console.page.keyboard.press("ArrowDown")
    expect(
        bar(console.log.locator(".message.user").last).get_by_role("button").first
    ).to_be_focused()
    assert console.width() <= 320
    assert console.violations() == []
