"""Widgets in real frames find each other and exchange values."""

from playwright.sync_api import Error, expect

from tests.services import wait_for

ADA = {"name": "Ada"}


def test_two_frames_exchange_a_value(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    first.output("person", ADA)
    second.hears(ADA)
    update = second.run("() => page.inputs()[0]")
    assert update == {"type": "widget-io-input-update", "slotId": "who", "value": ADA}
    assert first.inputs() == []


def test_a_widget_that_is_loaded_again_gets_its_inputs_again(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    first.output("person", ADA)
    second.hears(ADA)
    second.leave("() => location.reload()")
    second.is_welcome()
    second.hears(ADA)
    first.output("person", {"name": "Bea"})
    second.hears(ADA, {"name": "Bea"})
    expect(second.notice).to_be_hidden()


def test_an_equal_value_is_sent_again_only_by_force(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    first.output("person", ADA)
    second.hears(ADA)
    first.output("person", ADA)
    first.tell({"type": "widget-output-force", "slotId": "person", "value": ADA})
    second.hears(ADA, ADA)


def test_discovery_gives_five_texts_of_each_widget_without_a_request(canvas):
    requests = []
    first = canvas.mount("a")
    canvas.mount("b")
    canvas.page.on("request", lambda request: requests.append(request.url))
    first.say({"type": "GET_CANVAS_WIDGETS"})
    wait_for(lambda: len(first.run("() => page.heard")) == 2)
    keys = {"shapeId": "shape:a", "templateHandle": "speaker", "templateName": "Widget a"}
    answer = first.run("() => page.heard[1]")
    assert answer["type"] == "CANVAS_WIDGETS_RESPONSE"
    assert answer["widgets"][0] == {"id": "a", "icon": "", **keys}
    assert [widget["id"] for widget in answer["widgets"]] == ["a", "b"]
    assert requests == []


def test_only_who_wants_it_hears_of_new_widgets(canvas):
    plain, curious = canvas.mount("a"), canvas.mount("b")
    curious.run("() => page.hello({ wants: ['widgets'] })")
    lists = "() => page.heard.filter(({ type }) => type === 'CANVAS_WIDGETS_RESPONSE')"
    wait_for(lambda: len(curious.run(lists)) == 1)
    canvas.mount("c", "mute")
    wait_for(lambda: len(curious.run(lists)) == 2)
    canvas.run("() => canvas.host.unmount('c')")
    wait_for(lambda: len(curious.run(lists)) == 3)
    assert [len(each["widgets"]) for each in curious.run(lists)] == [2, 3, 2]
    assert plain.run(lists) == []


def test_a_page_without_our_client_is_heard_and_served(canvas):
    plain, other, third = canvas.mount("a", "plain"), canvas.mount("b"), canvas.mount("c")
    canvas.connect(("a", "person"), ("b", "who"))
    other.hears(ADA)
    canvas.connect(("c", "number"), ("a", "count"))
    third.output("number", {"value": 7})
    wait_for(lambda: len(plain.run("() => heard")) == 2)
    widgets, update = plain.run("() => heard")
    assert widgets["type"] == "CANVAS_WIDGETS_RESPONSE"
    assert update == {"type": "widget-io-input-update", "slotId": "count", "value": {"value": 7}}


def test_a_hello_narrows_the_slots_and_adds_none(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    first.run("() => page.hello({ slots: ['number', 'undeclared'] })")
    welcomes = "() => page.heard.filter(({ type }) => type === 'widget-welcome')"
    wait_for(lambda: len(first.run(welcomes)) == 2)
    assert [slot["id"] for slot in first.run(welcomes)[1]["slots"]] == ["number"]
    first.output("person", ADA)
    wait_for(lambda: canvas.drops("a") == {"unknown_slot": 1})
    assert second.inputs() == []


def test_the_welcome_has_the_look_and_changes_of_it_follow(canvas):
    first = canvas.mount("a")
    context = first.run("() => page.heard[0].context")
    assert (context["theme"], context["locale"]) == ("light", "en")
    assert context["cssVars"]["--ink"]
    canvas.page.emulate_media(color_scheme="dark")
    assert first.answer("widget-host-context")["context"]["theme"] == "dark"


AGAIN = """() => {
  const root = document.getElementById('root');
  root.remove();
  document.body.append(root);
}"""


def values_of(widget, code):
    """What the widget has got; nothing while its frame is being loaded."""
    try:
        return widget.run(code)
    except Error:
        return []


def test_widgets_go_on_after_the_page_has_left_and_shown_the_canvas_again(canvas):
    plain, other, third = canvas.mount("a", "plain"), canvas.mount("b"), canvas.mount("c")
    canvas.connect(("a", "person"), ("b", "who"))
    canvas.connect(("c", "number"), ("a", "count"))
    third.output("number", {"value": 7})
    wait_for(lambda: len(plain.run("() => heard")) == 2)
    canvas.run(AGAIN)
    values = "() => (globalThis.heard ?? []).map(({ value }) => value?.value)"
    wait_for(lambda: 7 in values_of(plain, values))
    wait_for(lambda: values_of(other, "() => globalThis.page?.inputs() ?? []"))
    third.is_welcome()
    third.output("number", {"value": 8})
    wait_for(lambda: 8 in values_of(plain, values))
    canvas.page.wait_for_timeout(1200)  # the time after which a foreign document is cut off
    for widget in (plain, other, third):
        expect(widget.notice).to_be_hidden()
    plain.leave("() => { location.href = '/w/elsewhere'; }")
    expect(plain.notice).to_contain_text("has left its page")
    canvas.run(AGAIN)
    expect(plain.notice).to_be_hidden()
