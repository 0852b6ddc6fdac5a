"""Who has the keyboard beside a widget: dialogs, fields of the page, and notices at the frame."""

from playwright.sync_api import expect

from tests.services import wait_for

# A field that takes the focus every `pause` milliseconds, and the keys that it gets.
STEAL = """(pause) => {
  const field = document.body.appendChild(document.createElement('input'));
  globalThis.keys = [];
  globalThis.thefts = 0;
  addEventListener('focus', () => (thefts += 1));
  addEventListener('keydown', ({ key }) => keys.push(key), true);
  globalThis.timer = setInterval(() => { field.blur(); field.focus(); }, pause);
}"""


def asks_while_another_steals(canvas, pause):
    first, thief = canvas.mount("a"), canvas.mount("b")
    first.ask("search-web")
    deny = canvas.dialog.get_by_role("button", name="Deny")
    expect(deny).to_have_attribute("aria-disabled", "false")
    thief.run(STEAL, pause)
    expect(thief.box.locator("iframe")).to_be_hidden()  # so that its thefts mix with nothing else
    assert thief.run("() => thefts") > 0
    expect(deny).to_be_focused()
    return first, thief


def test_a_dialog_keeps_the_keyboard_however_often_a_frame_takes_it(canvas):
    first, thief = asks_while_another_steals(canvas, 10)
    for name in ("Allow until this page closes", "Allow once"):
        canvas.page.keyboard.press("Tab")
        expect(canvas.dialog.get_by_role("button", name=name)).to_be_focused()
    canvas.page.keyboard.press("Escape")
    expect(canvas.dialog).to_have_count(0)
    assert first.answer()["envelope"]["error"] == "approval_denied"
    assert thief.run("() => keys") == []


def test_a_widget_can_not_hold_the_dialog_of_its_own_question(canvas):
    thief = canvas.mount("a")
    thief.run(STEAL, 50)
    wait_for(lambda: thief.run("() => thefts"))
    before = thief.run("() => thefts")  # later it may be hidden already, and steal no more
    thief.ask("search-web")
    expect(canvas.dialog).to_be_visible()
    wait_for(lambda: thief.run("() => thefts") > before)
    expect(canvas.dialog.get_by_role("button", name="Deny")).to_be_focused()

    def leaves():  # a key between a theft and its end is the thief's: people press again
        canvas.page.keyboard.press("Escape")
        return canvas.dialog.count() == 0

    wait_for(leaves)
    assert thief.answer()["envelope"]["error"] == "approval_denied"


def test_of_the_frames_behind_a_dialog_only_the_thief_is_not_drawn(canvas):
    first, thief = asks_while_another_steals(canvas, 10)
    first.run("() => document.body.appendChild(document.createElement('input')).focus()")
    expect(canvas.dialog.get_by_role("button", name="Deny")).to_be_focused()
    expect(first.box.locator("iframe")).to_be_visible()
    expect(thief.box.locator("iframe")).to_be_hidden()
    thief.run("() => { clearInterval(timer); globalThis.same = true; }")
    canvas.press("Deny")
    expect(thief.box.locator("iframe")).to_be_visible()
    assert thief.run("() => same") is True


FIELD = """() => {
  const title = document.createElement('input');
  title.setAttribute('aria-label', 'Title');
  document.querySelector('#opener').after(title);
}"""

# A field that takes the focus once for each message of the page, which sends one after each key.
# The key has ended then: Playwright waits for ever for the end of a key in a frame that is removed.
STEAL_BETWEEN_KEYS = """() => {
  const field = document.body.appendChild(document.createElement('input'));
  addEventListener('message', ({ data }) => {
    if (data !== 'steal') return;
    field.blur();
    field.focus();
  });
}"""
# A theft counts within 700 ms after a key, so no time passes: a busy machine takes longer.
TELL_THIEF = """() => {
  const moment = performance.now();
  performance.now = () => moment;
  const title = document.activeElement;
  globalThis.returns = 0;
  title.addEventListener('focus', () => (returns += 1));
  const thief = document.querySelector('iframe').contentWindow;
  title.addEventListener('keyup', () => thief.postMessage('steal', '*'));
}"""


def test_what_is_written_in_a_field_of_the_page_stays_there(canvas):
    thief, other = canvas.mount("a"), canvas.mount("b")
    canvas.run(FIELD)
    title = canvas.page.get_by_label("Title")
    title.click()
    canvas.page.keyboard.type("my ")
    thief.run(STEAL_BETWEEN_KEYS)
    canvas.run(TELL_THIEF)
    for thefts, key in enumerate("key", start=1):
        expect(thief.notice).to_be_hidden()
        canvas.page.keyboard.press(key)
        wait_for(lambda expected=thefts: canvas.run("() => returns") == expected)
        expect(title).to_be_focused()
    expect(thief.notice).to_contain_text("has taken the keyboard several times")
    canvas.page.keyboard.type(" is here")
    expect(title).to_have_value("my key is here")
    thief.notice.get_by_role("button", name="Reload").click()
    thief.is_welcome()
    other.is_welcome()


def test_a_person_goes_from_a_field_to_a_widget_by_click_and_by_key(canvas):
    widget = canvas.mount("a")
    widget.run("() => { document.body.append(document.createElement('input')); }")
    canvas.run(FIELD)
    title, field = canvas.page.get_by_label("Title"), widget.frame.locator("input")
    for _ in range(3):
        title.click()
        canvas.page.keyboard.type("x")
        canvas.page.keyboard.press("Tab")
        expect(canvas.page.locator("iframe")).to_be_focused()
    for _ in range(3):
        title.click()
        canvas.page.keyboard.type("x")
        canvas.page.mouse.move(5, 5)
        field.click()
        expect(field).to_be_focused()
    expect(widget.notice).to_be_hidden()


def test_the_focus_stays_at_a_widget_whose_notice_was_answered(canvas):
    mute, flooding = canvas.mount("a", "mute"), canvas.mount("b")
    expect(mute.notice).to_contain_text("does not answer")
    mute.notice.get_by_role("button", name="Reload").press("Enter")
    expect(mute.notice).to_be_hidden()
    expect(mute.box).to_be_focused()
    flooding.run("() => { for (let n = 1; n <= 3000; n += 1) page.say(n); }")
    flooding.notice.get_by_role("button", name="Resume").press("Enter")
    expect(flooding.notice).to_be_hidden()
    expect(flooding.box).to_be_focused()
    canvas.page.keyboard.press("Tab")
    wait_for(lambda: canvas.run("() => document.activeElement.title") == "Widget b")


def test_a_notice_that_another_replaces_keeps_the_focus_on_its_button(canvas):
    first = canvas.mount("a")
    first.run("() => { for (let n = 1; n <= 3000; n += 1) page.say(n); }")
    first.notice.get_by_role("button", name="Resume").focus()
    first.run("() => { for (let n = 1; n <= 12_000; n += 1) page.say(n); }")
    expect(first.notice).to_contain_text("was ended")
    expect(first.notice.get_by_role("button", name="Reload")).to_be_focused()
