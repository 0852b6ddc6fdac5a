"""Turns: streaming, tool calls, stop, failures, and what a reload keeps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.held_traffic import first_of, signed_in_behind
from tests.browser.page import UNENDING
from tests.browser.presses import double_click
from tests.services import wait_for

# How many of these nodes the browser has laid out.
LAID_OUT = """(nodes) => nodes.filter((node) =>
  node.checkVisibility({ contentVisibilityAuto: true })).length"""
# Counts how often the content of nodes around the messages is replaced: each time costs a layout.
COUNT_REDRAWN = """(around) => {
  window.redrawn = 0;
  const isAround = ({ target }) => !target.closest('.log');
  const look = (changes) => (window.redrawn += changes.filter(isAround).length);
  new MutationObserver(look).observe(around, { subtree: true, childList: true });
}"""


def test_a_turn_with_tool_calls(console):
    console.ask("Which collections are there, and who am I?")
    answer = console.answers.last
    expect(answer).to_contain_text(f"You are {console.subject}.")
    calls = answer.locator("details")
    expect(calls).to_have_count(2)
    expect(calls.first.locator("summary")).to_contain_text("Looked up which collections there are")
    calls.first.locator("summary").click()
    expect(calls.first.get_by_role("listitem").filter(has_text="ai-chats")).to_be_visible()
    calls.first.get_by_text("Details", exact=True).click()
    expect(calls.first.get_by_label("Input", exact=True)).to_have_text("{}")
    expect(calls.first.get_by_label("Output", exact=True)).to_contain_text('"ai-chats"')
    expect(console.page.locator(".chat-title")).to_have_text([re.compile("Which collections")])


def test_a_double_click_sends_a_message_and_does_not_stop_its_reply(console):
    console.ask("Who am I?")
    held = []
    console.page.route("**/api/ai/chat", lambda route: held.append(route))
    console.composer.fill("count to 30")
    with double_click(console.button("Send")):
        reply = first_of(held, console.page)
        expect(console.button("Stop")).to_be_visible()
    expect(console.button("Stop")).to_be_enabled()
    reply.continue_()
    expect(console.answers).to_have_count(2)
    console.is_idle()
    expect(console.answers.last).to_contain_text("29 30")
    expect(console.answers.last).not_to_contain_text("Stopped")


def test_a_double_click_on_send_in_a_new_chat_leaves_the_focus_in_the_field(console):
    page, held = console.page, []
    page.route("**/api/ai/chats", lambda route: held.append(route))  # nothing to stop yet
    console.composer.fill("Who am I?")
    with double_click(console.button("Send")):
        creating = first_of(held, page)
    expect(console.composer).to_be_focused()
    creating.continue_()
    console.is_idle()
    expect(console.composer).to_be_focused()


def test_a_suggestion_is_of_this_app_waits_to_be_sent_and_needs_no_other_request(opened):
    console = opened().open()
    asked = []
    console.page.on("request", lambda request: asked.append(request.url))
    console.sign_in()
    suggestions = console.page.get_by_role("list", name="Suggestions").get_by_role("button")
    labels = ["What is in my notes?", "Add a task: …", "What can you do here?"]
    expect(suggestions).to_have_text(labels)
    expect(console.page.get_by_label("New task")).to_be_visible()
    assert asked.count(f"{console.service.url}/api/records") == 1
    line = console.page.locator(".welcome-line")
    console.button(labels[0]).click()
    expect(console.composer).to_have_value(labels[0])
    console.button(labels[1]).click()
    expect(console.composer).to_have_value("Add a task: ")
    expect(console.composer).to_be_focused()
    expect(line).to_be_visible()
    assert console.api("GET", "records/ai-chats")["records"] == []
    console.page.keyboard.type("buy milk")
    console.page.keyboard.press("Enter")
    expect(console.answers).to_contain_text(["I have added “buy milk”."])


def test_what_is_unfolded_in_a_call_stays_so_when_its_stored_reply_comes(opened):
    console, held = signed_in_behind(opened)
    console.ask("Which collections are there, and who am I?")
    call = console.answers.first.locator("details").first
    call.locator("summary").click()
    call.get_by_text("Details", exact=True).click()
    expect(call.get_by_label("Output", exact=True)).to_be_visible()
    chat = console.page.url.rpartition("/")[2]
    question = {"chatId": chat, "userMessageId": f"{chat}-2", "content": "count to 2"}
    with console.page.expect_response("**/api/records/ai-messages?*"):
        held.let_go()
        console.api_text("POST", "ai/chat", question)
    console.api("POST", "records/tasks", {"title": "Made behind it"})
    expect(console.page.get_by_label("Title of Made behind it")).to_be_visible()
    expect(call.get_by_label("Output", exact=True)).to_be_visible()


def test_a_call_unfolded_while_it_runs_stays_so_when_the_turn_ends(console):
    console.send("describe ai-chats")
    console.answers.last.locator("summary").click()
    console.is_idle()
    expect(console.answers.last.get_by_role("cell", name="title")).to_be_visible()


def test_the_newest_call_unfolds_into_view(opened):
    console = opened(viewport={"width": 1280, "height": 640}).sign_in()
    console.ask("count to 40")
    console.ask("describe ai-chats")
    call = console.answers.last.locator("details")
    call.locator("summary").click()
    expect(call.get_by_role("table")).to_be_in_viewport(ratio=1)
    expect(console.button("Jump to latest")).to_be_visible()
    console.button("Jump to latest").click()
    expect(console.button("Jump to latest")).to_be_hidden()


def test_a_call_that_fails_says_how(console):
    console.ask("use invalid input")
    expect(console.answers.last.locator("summary")).to_contain_text("failed")
    expect(console.answers.last.locator(".call-note")).not_to_be_empty()


def test_stop_keeps_the_partial_reply(console):
    console.send("count to 50000")  # for two minutes and a half
    expect(console.answers.last).to_contain_text("1 2 3")
    expect(console.composer).to_have_accessible_description("You can send when the reply has ended")
    console.button("Stop").click()
    console.is_idle()
    expect(console.composer).to_have_accessible_description(re.compile("for a new line"))
    expect(console.composer).to_be_focused()
    expect(console.composer).to_have_value("")
    expect(console.answers.last).to_contain_text("1 2 3")
    stored = console.api("GET", "records/ai-messages")["records"]
    assert [record["data"]["role"] for record in stored] == ["user", "assistant"]
    footer = console.answers.first.get_by_role("toolbar", name="Reply")
    expect(footer).to_contain_text("Stopped · ")


def test_stop_before_the_reply_begins_gives_the_text_back(console):
    console.send("/fail silent-first tell me")
    console.button("Stop").click()
    expect(console.composer).to_have_value("/fail silent-first tell me")
    expect(console.problem).to_contain_text("Stopped before the reply began")


def test_a_turn_that_fails_gives_the_text_back(console):
    console.ask("count to 3")
    console.send("/fail error-midway count to 20")
    expect(console.problem).not_to_be_empty()
    expect(console.composer).to_have_value("/fail error-midway count to 20")
    console.is_idle()
    console.send("count to 4")
    expect(console.answers.last).to_contain_text("1 2 3 4")
    console.is_idle()
    expect(console.problem).to_be_empty()
    expect(console.log.locator(".unsaved")).to_have_count(0)
    assert len(console.api("GET", "records/ai-messages")["records"]) == 4


def test_a_refusal_gives_the_text_back(console):
    console.may_say("503")
    body = {"error": "draining", "message": "This server is about to stop."}
    refusal = {"status": 503, "json": body, "headers": {"Retry-After": "1"}}
    console.page.route("**/api/ai/chat", lambda route: route.fulfill(**refusal))
    console.send("hello")
    expect(console.problem).to_contain_text("This server is about to stop. Try again in 1 s.")
    expect(console.composer).to_have_value("hello")
    console.page.unroute_all()
    console.composer.press("Enter")
    expect(console.answers).to_have_count(1)
    expect(console.composer).to_have_value("")


def test_a_reload_keeps_the_draft_the_history_the_partial_reply_and_the_model(console):
    model = console.page.get_by_label("Model", exact=True)
    model.select_option("gen-5.4-mini")
    with console.page.expect_request("**/api/ai/chat") as request:
        console.ask("remember that the code is 4711")
    assert request.value.post_data_json["modelId"] == "gen-5.4-mini"
    console.send(UNENDING)
    expect(console.answers.last).to_contain_text("1 2 3")
    console.composer.fill("what is the")
    console.page.reload()
    expect(console.composer).to_have_value("what is the")
    expect(console.answers).to_contain_text(["I will remember", "1 2 3"])
    expect(model).to_have_value("gen-5.4-mini")
    console.button("New chat").click()
    expect(console.composer).to_have_value("")
    console.page.locator(".chat-link").click()
    expect(console.composer).to_have_value("what is the")


def test_a_first_message_is_shown_while_its_chat_is_being_made(console):
    console.may_say("503")
    held = []
    console.page.route("**/api/ai/chats", lambda route: held.append(route))
    console.send("hello")
    expect(console.log).to_contain_text("hello")
    expect(console.log).to_contain_text("Thinking")
    expect(console.page.locator(".welcome")).to_be_hidden()
    first_of(held, console.page).fulfill(
        status=503, json={"error": "unavailable", "message": "Not now."}
    )
    expect(console.problem).to_contain_text("Not now.")
    expect(console.composer).to_have_value("hello")
    expect(console.log).to_be_hidden()
    console.composer.press("Enter")
    wait_for(lambda: held[1:] or console.page.wait_for_timeout(10))
    held[1].continue_()
    expect(console.answers).to_have_count(1)
    expect(console.log.locator(".message.user")).to_have_text([re.compile("hello")])


def test_a_reload_before_the_first_message_has_its_chat_loses_nothing(console):
    console.page.route("**/api/ai/chats", lambda route: None)  # never answered
    console.send("hello")
    expect(console.composer).to_have_value("")
    console.page.reload()
    console.page.unroute_all()  # not before: what hangs would be let through
    expect(console.composer).to_have_value("hello")


def test_a_message_whose_chat_can_not_be_made_stays_out_of_the_chat_that_was_opened_since(console):
    console.may_say("503")
    console.new_chat("Plan")
    held = []
    console.page.route("**/api/ai/chats", lambda route: held.append(route), times=1)
    with console.page.expect_request("**/api/ai/chats"):
        console.send("hello")
    plan = console.page.locator(".chat-link", has_text="Plan")
    plan.click()
    expect(console.page.get_by_role("heading", name="Plan")).to_be_visible()
    with console.page.expect_response("**/api/ai/chats"):
        first_of(held, console.page).fulfill(
            status=503, json={"error": "unavailable", "message": "Not now."}
        )
    expect(console.problem).to_contain_text("Your message to a new chat was not sent.")
    expect(console.composer).to_have_value("")
    console.button("New chat").click()
    expect(console.problem).to_be_empty()
    expect(console.composer).to_have_value("hello")
    plan.click()
    expect(console.composer).to_have_value("")


def send_refused(console, text):
    """The first try gets 503, and a second one would be answered."""
    console.may_say("503")
    refusal = {"error": "unavailable", "message": "Not now."}
    console.page.route(
        "**/api/ai/chat", lambda route: route.fulfill(status=503, json=refusal), times=1
    )
    console.send(text)


@pytest.mark.parametrize("place", ["chat", "usage"])
def test_a_chat_that_is_made_late_does_not_take_people_away_from_where_they_are(console, place):
    console.new_chat("Plan")
    held = []
    console.page.route("**/api/ai/chats", lambda route: held.append(route), times=1)
    with console.page.expect_request("**/api/ai/chats"):
        console.send("hello")
    if place == "chat":
        console.page.locator(".chat-link", has_text="Plan").click()
    else:
        console.page.evaluate("location.hash = '#/usage'")
    heading = console.page.get_by_role("heading", name="Plan" if place == "chat" else "Usage")
    expect(heading).to_be_visible()
    address = console.page.url
    with console.page.expect_response("**/api/ai/chat"):
        first_of(held, console.page).continue_()
    expect(heading).to_be_visible()
    assert console.page.url == address


def test_a_message_whose_chat_is_being_made_is_sent_once(console):
    console.new_chat("Plan")
    held = []
    console.page.route("**/api/ai/chats", lambda route: held.append(route), times=1)
    with console.page.expect_request("**/api/ai/chats"):
        console.send("hello")
    console.page.locator(".chat-link", has_text="Plan").click()
    expect(console.page.get_by_role("heading", name="Plan")).to_be_visible()
    console.button("New chat").click()
    expect(console.composer).to_have_value("hello")
    console.composer.press("Enter")
    first_of(held, console.page).continue_()
    expect(console.answers).to_have_count(1)
    expect(console.composer).to_have_value("")
    expect(console.chats).to_have_count(2)


def test_a_message_that_is_tried_again_is_not_left_in_the_new_chat(console):
    send_refused(console, "hello")
    expect(console.composer).to_have_value("hello")
    expect(console.chats).to_have_count(0)
    held = []
    console.page.route("**/api/ai/chats", lambda route: held.append(route), times=1)
    with console.page.expect_request("**/api/ai/chats"):
        console.button("Try again").click()
    console.button("New chat").click()
    first_of(held, console.page).continue_()
    expect(console.answers).to_have_count(1)
    expect(console.composer).to_have_value("")


def test_a_message_is_tried_again_once_and_what_is_typed_beside_it_is_kept(console):
    send_refused(console, "hello")
    expect(console.composer).to_have_value("hello")
    expect(console.chats).to_have_count(0)
    console.composer.fill("hello\n\nand later")
    held = []
    console.page.route("**/api/ai/chats", lambda route: held.append(route))
    with console.page.expect_request("**/api/ai/chats"):
        console.button("Try again").click()
    console.button("Try again").click()
    console.page.unroute("**/api/ai/chats")  # lets those that are held go on
    expect(console.answers).to_have_count(1)
    expect(console.composer).to_have_value("and later")
    assert len(held) == 1


@pytest.mark.parametrize("is_made", [True, False])
def test_a_chat_that_goes_leaves_its_text_beside_that_of_a_chat_which_is_being_made(
    console, is_made
):
    page, turns, chats = console.page, [], []
    console.may_say("ERR_FAILED|503")
    page.route("**/api/ai/chat", lambda route: turns.append(route), times=1)
    console.send("first")
    expect(console.button("Stop")).to_be_visible()
    expect(console.chats).to_have_count(1)
    page.route("**/api/ai/chats", lambda route: chats.append(route))
    console.button("New chat").click()
    console.send("second")
    console.chats.get_by_role("link").click()
    expect(console.log).to_contain_text("first")
    first_of(turns, page).fulfill(status=503, json={"error": "unavailable", "message": "Not now."})
    expect(console.chats).to_have_count(0)
    expect(console.composer).to_have_value("second\n\nfirst")
    console.composer.press("Enter")  # which is not for a chat that is still being made
    chat = first_of(chats, page)
    chat.continue_() if is_made else chat.abort()
    page.unroute("**/api/ai/chats")
    expect(console.composer).to_have_value("first" if is_made else "second\n\nfirst")
    console.is_idle()
    console.composer.press("Enter")
    expect(console.answers).to_have_count(1)
    expect(console.composer).to_have_value("")
    console.is_idle()
    contents = ["first", "second"] if is_made else ["second\n\nfirst"]
    wait_for(lambda: sent_by(console) == contents)  # in two chats at once


def sent_by(console):
    questions = console.api("GET", 'records/ai-messages?where={"role": "user"}')["records"]
    return sorted(question["data"]["content"] for question in questions)


def test_a_turn_goes_on_while_another_chat_is_shown(console):
    console.send("count to 500")
    expect(console.answers.last).to_contain_text("1 2 3")
    console.button("New chat").click()
    expect(console.answers).to_have_count(0)
    console.page.locator(".chat-link", has_text="count to 500").click()
    expect(console.answers.last).to_contain_text("499 500")


def test_enter_sends_and_shift_enter_does_not(console):
    console.composer.press("Shift+Enter")
    console.composer.type("repeat after me: one")
    console.composer.press("Shift+Enter")
    console.composer.type("two")
    console.composer.press("Enter")
    answer = console.answers.locator(".message-body")
    wait_for(lambda: answer.inner_text().endswith("one\ntwo"))


def test_earlier_messages_come_on_demand(console):
    console.ask("count to 2")
    chat = console.api("GET", "records/ai-chats")["records"][0]["recordId"]
    for number in range(26):
        question = {"chatId": chat, "userMessageId": f"{chat}-{number}", "content": "count to 1"}
        console.api_text("POST", "ai/chat", question)
    console.page.reload()
    expect(console.log.locator(".message")).to_have_count(50)
    console.log.evaluate("(log) => log.scrollTo(0, 0)")
    first = console.log.locator(".message").first
    number = first.get_attribute("data-message")
    before = first.bounding_box()
    console.button("Show earlier messages").press("Enter")
    expect(console.log.locator(".message")).to_have_count(54)
    expect(console.log).to_be_focused()
    after = console.log.locator(f"[data-message='{number}']").bounding_box()
    assert before
    assert after
    assert abs(after["y"] - before["y"]) < 2, "what was read has moved"
    expect(console.log.locator(".message").first).to_contain_text("count to 2")
    expect(console.button("Show earlier messages")).to_be_hidden()
    console.log.evaluate("(log) => log.scrollTo(0, log.scrollHeight)")
    bodies = console.log.locator(".message-body")
    wait_for(lambda: bodies.evaluate_all(LAID_OUT) == 50)


def test_a_reply_that_grows_draws_nothing_around_it_anew(console):
    console.ask("count to 1")
    around = console.page.get_by_label("Conversation and composer")
    around.evaluate(COUNT_REDRAWN)
    console.ask("count to 40")
    assert console.page.evaluate("redrawn") < 10
