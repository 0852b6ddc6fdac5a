"""What a hostile widget tries against its host, and against the widgets beside it."""

from playwright.sync_api import expect

from tests.browser.presses import NOW, press_at
from tests.services import wait_for

ADA = {"name": "Ada"}
OUTPUT = {"type": "widget-io-output-update", "slotId": "person", "value": ADA}

EXOTIC = """() => {
  const circle = {}; circle.self = circle;
  const shared = { a: [] }; for (let n = 0; n < 40; n += 1) shared.a = [shared.a, shared.a];
  let deep = {}; for (let n = 0; n < 500; n += 1) deep = { deep };
  const holes = []; holes.length = 4e9;
  const values = [{ circle }, { shared }, { deep }, { holes }, { big: 10n }, { map: new Map() },
    { date: new Date() }, { not: NaN }, { bytes: new Uint8Array(4) }, { pattern: /x/ },
    { error: new Error('x') }, { text: 'x'.repeat(8e6) }];
  for (const value of values) page.output('person', value);
  const call = { type: 'widget-api-request', method: 'POST', endpoint: 'profnet-search-profiles' };
  for (const [n, body] of values.entries()) page.tell({ ...call, requestId: `r${n}`, body });
  page.tell({ type: 'widget-state-set', requestId: 's', value: circle });
  page.say(new Map([['type', 'GET_CANVAS_WIDGETS']]));
  return values.length;
}"""


def test_values_that_are_no_json_harm_nobody(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.connect(("a", "person"), ("b", "who"))
    first.run("() => page.output('person', { first: 1 })")
    second.hears({"first": 1})
    count = first.run(EXOTIC)
    wait_for(lambda: len(first.answers("widget-api-response")) == count)
    refusals = {one["envelope"]["error"] for one in first.answers("widget-api-response")}
    assert refusals == {"not_json", "too_large"}
    assert first.answer("widget-state-set")["error"] == "not_json"
    assert set(canvas.drops("a")) <= {"not_json", "too_large", "not_object"}
    first.output("person", ADA)
    wait_for(lambda: second.inputs()[-1] == ADA)
    assert (canvas.calls, second.inputs()) == ([], [{"first": 1}, ADA])


PROTOTYPES = """() => {
  const value = JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}');
  page.hello({ slots: ['person', '__proto__', 'constructor'] });
  for (const slotId of ['__proto__', 'constructor', 'toString']) page.output(slotId, value);
  for (const type of ['__proto__', 'constructor']) page.say({ type });
  page.output('person', value);
  page.tell({ type: 'widget-state-set', requestId: 's', value });
}"""
OWN = "(all) => all.map((value) => [Object.hasOwn(value, '__proto__'), value.admin ?? null])"


def test_keys_of_prototypes_are_keys_like_others_and_are_not_stored(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    canvas.mount("__proto__", "plain")
    canvas.connect(("a", "person"), ("b", "who"))
    first.run(PROTOTYPES)
    second.run("() => { globalThis.own = " + OWN + "; }")
    wait_for(lambda: second.inputs())
    assert second.run("() => own(page.inputs().map(({ value }) => value))") == [[True, None]]
    assert canvas.drops("a") == {"unknown_slot": 3, "unknown_type": 2}
    answer = first.answer("widget-state-set")
    assert (answer["ok"], answer["error"]) == (False, "not_json")  # it can't be stored
    assert "state" not in canvas.run("() => canvas.host.exportState().widgets.a")


def test_a_port_that_was_given_away_ends_with_its_widget(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    second.run(
        "() => addEventListener('message', ({ ports }) => { globalThis.stolen = ports[0]; })"
    )
    first.run("() => parent.frames[1].postMessage('take this', '*', [page.port])")
    wait_for(lambda: second.run("() => Boolean(globalThis.stolen)"))
    call = {"type": "widget-api-request", "requestId": "r", "method": "POST", "body": {}}
    asking = "(message) => stolen.postMessage(message)"
    second.run(asking, {**call, "endpoint": "search-web"})
    expect(canvas.dialog).to_contain_text("Widget a")
    canvas.run("() => canvas.host.unmount('a')")
    expect(canvas.dialog).to_have_count(0)
    second.run(asking, {**call, "requestId": "r2", "endpoint": "profnet-search-profiles"})
    second.ask("profnet-search-profiles", "own")
    second.answer()
    assert len(canvas.calls) == 1


def test_messages_of_a_frame_within_a_widget_are_ignored(canvas):
    first = canvas.mount("a")
    first.run("() => document.body.append(document.createElement('iframe'))")
    wait_for(lambda: first.frame.child_frames)
    [nested] = first.frame.child_frames
    nested.evaluate("(message) => parent.parent.postMessage(message, '*')", OUTPUT)
    wait_for(lambda: canvas.drops("") == {"unknown_source": 1})


def test_a_window_that_is_gone_is_not_taken_for_a_widget_out_of_sight(canvas):
    canvas.mount("a")
    send = "new MessageEvent('message', { data: message, origin: 'null', source: null })"
    canvas.run("(message) => { root.remove(); dispatchEvent(" + send + "); }", OUTPUT)
    assert canvas.drops("") == {"unknown_source": 1}


def test_a_consent_belongs_to_the_widget_that_needs_it(canvas):
    needed = {
        "requiresOAuth": True, "provider": "cloudsuite", "scopes": [], "authUrl": "https://p.invalid/",
    }  # fmt: skip
    canvas.server.answers["cloudsuite/contacts-list"] = needed
    first, second = canvas.mount("a"), canvas.mount("b")
    first.ask("cloudsuite/contacts-list")
    consent = {"type": "widget-consent-request", "requestId": "c"}
    second.tell({**consent, "consentId": first.answer()["consentId"]})
    assert second.answer("widget-consent-result")["status"] == "cancelled"
    assert canvas.drops("b") == {"unknown_consent": 1}
    assert canvas.run("() => canvas.needs") == []


def test_a_widget_that_asks_on_and_on_is_silenced_and_the_page_stays_free(canvas):
    first = canvas.mount("a")
    for number in range(10):
        first.ask("search-web", f"r{number}", body={"n": number})
    for _ in range(3):
        canvas.press("Deny")
    expect(canvas.dialog).to_have_count(0)
    wait_for(lambda: len(first.answers("widget-api-response")) == 10)
    expect(first.notice).to_contain_text("refused this widget several times")
    first.notice.get_by_role("button", name="Ask again").click()
    expect(first.notice).to_be_hidden()
    first.ask("search-web", "again")
    canvas.press("Allow once")
    wait_for(lambda: len(canvas.calls) == 1)


# Notes which buttons are clicked, and when the dialog opens.
NOTE = f"""() => {{
  canvas.clicks = [];
  addEventListener('click', ({{ target }}) => canvas.clicks.push(target.textContent));
  new MutationObserver(() => document.querySelector('dialog[open]') && (canvas.asked ??= {NOW}))
    .observe(document.body, {{ childList: true }});
}}"""


def test_a_click_that_a_busy_page_handles_late_allows_nothing(canvas):
    """It was made as the dialog opened, and is handled when the button can be pressed."""
    first = canvas.mount("a")
    canvas.run(NOTE)
    first.ask("search-web")
    allow = canvas.dialog.get_by_role("button", name="Allow once")
    expect(allow).to_have_attribute("aria-disabled", "false")
    where = allow.bounding_box()
    press_at(canvas.page, where["x"] + 5, where["y"] + 5, canvas.run("() => canvas.asked"))
    assert canvas.run("() => canvas.clicks") == ["Allow once"]
    expect(canvas.dialog).to_be_visible()
    assert canvas.calls == []
    canvas.press("Allow once")
    wait_for(lambda: canvas.calls)


def test_deny_can_be_pressed_while_equal_calls_come_and_go(canvas):
    first = canvas.mount("a")
    first.ask("search-web", "r0")
    first.run("""() => {
      let n = 0;
      const call = { type: 'widget-api-request', method: 'POST', endpoint: 'search-web', body: {} };
      globalThis.timer = setInterval(() => {
        page.tell({ type: 'widget-api-cancel', requestId: `e${n}` });
        page.tell({ ...call, requestId: `e${(n += 1)}` });
      }, 100);
    }""")
    expect(canvas.dialog).to_contain_text("2 equal calls")
    canvas.press("Deny")
    first.run("() => clearInterval(timer)")
    assert first.answer()["envelope"]["error"] == "approval_denied"
    assert canvas.calls == []


def test_a_widget_that_takes_its_questions_back_and_asks_again_is_silenced(canvas):
    first = canvas.mount("a")
    for number in range(3):
        first.ask("search-web", f"r{number}", body={"n": number})
        expect(canvas.dialog).to_contain_text(f'"n": {number}')
        first.tell({"type": "widget-api-cancel", "requestId": f"r{number}"})
    expect(canvas.dialog).to_have_count(0)
    expect(first.notice).to_contain_text("or it has taken its questions back")
    first.ask("search-web", "more")
    assert first.answer()["envelope"]["error"] == "approval_denied"
    expect(canvas.dialog).to_have_count(0)


def test_a_flood_from_a_frame_within_a_widget_pauses_the_widget_and_then_ends_it(canvas):
    first, second = canvas.mount("a"), canvas.mount("b")
    first.run("() => document.body.append(document.createElement('iframe'))")
    wait_for(lambda: first.frame.child_frames)
    [nested] = first.frame.child_frames
    flood = "(count) => { for (let n = 0; n < count; n += 1) parent.parent.postMessage(n, '*'); }"
    nested.evaluate(flood, 4000)
    expect(first.notice).to_contain_text("too many messages")
    wait_for(lambda: canvas.drops("a").get("paused", 0) > 1000)
    nested.evaluate(flood, 10_000)
    expect(first.notice).to_contain_text("was ended")
    expect(first.box.locator("iframe")).to_have_count(0)
    expect(second.notice).to_be_hidden()


def test_the_notice_of_a_widget_that_still_asks_stays_as_it_is_and_can_be_pressed(canvas):
    first = canvas.mount("a")
    for number in range(3):
        first.ask("search-web", f"r{number}", body={"n": number})
        canvas.press("Deny")
    expect(first.notice).to_contain_text("refused this widget several times")
    first.run("""() => {
      const call = { type: 'widget-api-request', method: 'POST', endpoint: 'search-web' };
      let n = 3;
      globalThis.timer = setInterval(() => page.tell({ ...call, requestId: `r${n}`, body: { n: n++ } }), 10);
    }""")  # noqa: E501
    wait_for(lambda: len(first.answers("widget-api-response")) > 10)
    first.notice.get_by_role("button", name="Ask again").click(delay=200)
    expect(canvas.dialog).to_contain_text("Allow “Search the web”?")
    first.run("() => clearInterval(timer)")
    expect(first.notice).to_be_hidden()
