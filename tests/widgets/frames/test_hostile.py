"""What the host and the widgets don't accept, and what becomes of frames that misbehave."""

from collections import Counter

from playwright.sync_api import expect

from tests.services import wait_for

ADA = {"name": "Ada"}
OUTPUT = {"type": "widget-io-output-update", "slotId": "person", "value": ADA}
HOSTILE = {
    "a text": ('{"type": "GET_CANVAS_WIDGETS"}', "not_object"),
    "a list": ([OUTPUT], "not_object"),
    "an unknown type": ({"type": "widget-open-everything"}, "unknown_type"),
    "a request outside the port": (
        {
            "type": "widget-api-request",
            "requestId": "r",
            "method": "POST",
            "endpoint": "search-web",
        },
        "unknown_type",
    ),
    "somebody else's name": ({**OUTPUT, "widgetId": "b"}, "extra_key"),
    "a value that is no object": ({**OUTPUT, "value": "Ada"}, "bad_field"),
    "a long slot": ({**OUTPUT, "slotId": "s" * 129}, "bad_field"),
    "an undeclared slot": ({**OUTPUT, "slotId": "elsewhere"}, "unknown_slot"),
    "an input as output": ({**OUTPUT, "slotId": "who"}, "unknown_slot"),
    "a guessed nonce": ({"type": "widget-hello", "v": 1, "nonce": "guessed"}, "wrong_nonce"),
    "a large value": ({**OUTPUT, "value": {"text": "x" * 300_000}}, "too_large"),
    "another type": ({**OUTPUT, "slotId": "number", "value": {"value": "7"}}, "type_mismatch"),
}
FLOOD = "() => { for (let n = 0; n < 3000; n += 1) parent.postMessage({ type: 'hello' }, '*'); }"


def test_each_hostile_message_is_dropped_and_counted(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    expected, values = Counter(), []
    for case, (message, reason) in HOSTILE.items():
        first.say(message)
        expected[reason] += 1
        wait_for(lambda: sum(canvas.drops("a").values()) == expected.total())
        assert canvas.drops("a") == expected, case
        values.append({"name": f"after {case}"})
        first.output("person", values[-1])
        second.hears(*values)
    assert canvas.calls == []


def test_a_value_that_is_no_json_is_dropped(canvas):
    first = canvas.mount("a")
    canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    first.run("() => page.output('person', { file: new Blob(['x']) })")
    wait_for(lambda: canvas.drops("a") == {"not_json": 1})


def test_a_sibling_can_speak_for_nobody_else(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    forged = {"type": "widget-io-input-update", "slotId": "who", "value": ADA}
    first.run("(message) => parent.frames[1].postMessage(message, '*')", forged)
    wait_for(lambda: second.run("() => page.strangers.length") == 1)
    assert second.inputs() == []


def test_messages_of_a_frame_that_was_not_mounted_are_dropped(canvas):
    canvas.run("() => window.postMessage({ type: 'GET_CANVAS_WIDGETS' }, '*')")
    wait_for(lambda: canvas.drops("") == {"unknown_source": 1})


def test_an_origin_that_is_not_the_widgets_is_dropped(canvas):
    canvas.run("() => { canvas.host.close(); canvas.make({ widgetOrigin: 'https://w.invalid' }); }")
    canvas.may_say("target origin provided")
    canvas.mount("a", "plain")
    wait_for(lambda: canvas.drops("a") == {"wrong_origin": 2})


def test_a_frame_that_goes_elsewhere_is_cut_off(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    second.leave("() => { location.href = '/w/elsewhere'; }")
    expect(second.notice).to_contain_text("has left its page")
    first.output("person", ADA)
    first.output("person", {"name": "Bea"})
    wait_for(lambda: len(canvas.events("received")) >= 4)
    assert second.run("() => heard") == []
    assert canvas.drops("b") == {"wrong_nonce": 1}
    second.run(FLOOD)
    wait_for(lambda: canvas.drops("b").get("rate") == 1)
    expect(second.notice).to_contain_text("has left its page")  # and no way to resume it
    second.notice.get_by_role("button", name="Reload").click()
    second.is_welcome()
    wait_for(lambda: second.inputs()[-1:] == [{"name": "Bea"}])


def test_a_frame_that_went_elsewhere_hears_nothing_of_new_widgets(canvas):
    first = canvas.mount("a")
    first.run("() => page.hello({ wants: ['widgets'] })")
    lists = "() => page.heard.filter(({ type }) => type === 'CANVAS_WIDGETS_RESPONSE').length"
    wait_for(lambda: first.run(lists) == 1)
    first.leave("() => { location.href = '/w/elsewhere'; }")
    expect(first.notice).to_contain_text("has left its page")
    second = canvas.mount("b")
    second.run("() => page.say({ type: 'GET_CANVAS_WIDGETS' })")
    wait_for(lambda: second.run(lists) == 1)  # what was sent before has arrived
    assert first.run("() => heard") == []


def test_a_frame_can_not_go_to_another_origin(canvas):
    canvas.may_say("frame-src|ERR_BLOCKED_BY_CSP|violates")
    first = canvas.mount("a")
    first.run("() => { location.href = 'https://elsewhere.invalid/'; }")
    wait_for(lambda: canvas.run("() => canvas.violations") == ["frame-src"])


def test_a_widget_reaches_no_server_by_itself(canvas):
    canvas.may_say("connect-src|violates")
    first = canvas.mount("a")
    fetching = "(url) => fetch(url, { method: 'POST' }).then(() => 'sent', () => 'refused')"
    assert first.run(fetching, f"{canvas.server.url}/api/integrations/search-web") == "refused"
    assert canvas.calls == []


def test_a_flood_pauses_the_widget_until_the_user_lets_it_go_on(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "number"), ("b", "count"))
    first.run("() => { for (let n = 1; n <= 9000; n += 1) page.output('number', { value: n }); }")
    expect(first.notice).to_contain_text("too many messages")
    wait_for(lambda: sum(canvas.drops("a").values()) > 4000)
    assert canvas.drops("a")["rate"] == 1
    first.notice.get_by_role("button", name="Resume").click()
    expect(first.notice).to_be_hidden()
    first.output("number", {"value": 0})
    wait_for(lambda: second.inputs()[-1:] == [{"value": 0}])


def test_a_widget_that_never_answers_gets_a_notice_with_a_way_out(canvas):
    first = canvas.mount("a", "mute")
    expect(first.notice).to_contain_text("does not answer")
    old = first.frame.url
    first.notice.get_by_role("button", name="Reload").click()
    expect(first.notice).to_be_hidden()
    wait_for(lambda: first.frame.url not in ("", old))
