"""What widgets leave behind, and what one that misbehaves does to the page around it."""

from playwright.sync_api import expect

from tests.services import wait_for

# Counts what a page would keep alive by mistake.
COUNTING = """() => {
  const kept = (window.kept = { timers: new Set(), ports: new Set() });
  const { setTimeout: set, clearTimeout: clear, MessageChannel: Channel } = window;
  window.setTimeout = (act, ...more) => {
    const id = set(() => { kept.timers.delete(id); act(); }, ...more);
    kept.timers.add(id);
    return id;
  };
  window.clearTimeout = (id) => { kept.timers.delete(id); clear(id); };
  window.MessageChannel = class extends Channel {
    constructor() { super(); kept.ports.add(this.port1); }
  };
  const { close } = MessagePort.prototype;
  MessagePort.prototype.close = function () { kept.ports.delete(this); close.call(this); };
}"""

# Counts the frames that the host's page draws.
WATCH = """() => {
  const watch = (window.watch = { frames: 0 });
  const look = () => {
    watch.frames += 1;
    requestAnimationFrame(look);
  };
  look();
}"""
WELCOMED = """() => canvas.events.filter(
  ({ type, message }) => type === 'sent' && message.type === 'widget-welcome').length"""
LOOP = "() => { setTimeout(() => { for (;;) {} }); }"
FLOOD = """() => setInterval(() => {
  for (let n = 0; n < 50; n += 1) page.output('number', { value: n });
})"""


def kept(canvas):
    session = canvas.page.context.new_cdp_session(canvas.page)
    counts = canvas.run("() => [kept.timers.size, kept.ports.size, root.children.length]")
    for name in ("window", "document"):
        target = session.send("Runtime.evaluate", {"expression": name})["result"]["objectId"]
        found = session.send("DOMDebugger.getEventListeners", {"objectId": target})
        counts.append(len(found["listeners"]))
    session.detach()
    return counts


def are_welcome(canvas, count):
    wait_for(lambda: canvas.run(WELCOMED) == count, 60)


def test_widgets_that_were_welcome_or_not_yet_leave_nothing(canvas):
    canvas.run(COUNTING)
    before = kept(canvas)
    for welcomed in (10, 20):
        names = [f"w{number}" for number in range(welcomed - 10, welcomed)]
        canvas.run("(names) => { for (const name of names) canvas.mount(name, 'speaker'); }", names)
        for name in names[1:]:
            canvas.connect((names[0], "person"), (name, "who"))
        are_welcome(canvas, welcomed)
        assert canvas.run("() => kept.ports.size") == 10
        canvas.run("(names) => { for (const name of names) canvas.host.unmount(name); }", names)
    cycle = "(name) => { canvas.mount(name, 'plain'); canvas.host.unmount(name); }"
    for number in range(5):
        canvas.run(cycle, f"w{number}")
    assert kept(canvas) == before
    assert canvas.run("() => canvas.host.exportState()")["widgets"] == {}
    canvas.run("() => canvas.host.close()")
    *_, of_window, _ = kept(canvas)
    assert of_window == 1  # the page's own


def draws(canvas):
    """The page around the widgets goes on drawing."""
    canvas.run(WATCH)
    wait_for(lambda: canvas.run("() => watch.frames") > 30, 60)


def test_a_widget_that_hangs_gets_a_notice_and_freezes_nothing(canvas):
    first = canvas.mount("a")
    first.run(LOOP)
    draws(canvas)
    canvas.run("() => canvas.host.sendContext()")  # who is sent nothing is not asked
    expect(first.notice).to_contain_text("does not answer")
    first.notice.get_by_role("button", name="Reload").click()
    first.is_welcome()


def test_a_widget_that_floods_without_end_freezes_nothing(canvas):
    first = canvas.mount("a")
    first.run(FLOOD)
    expect(first.notice).to_contain_text("was ended")
    expect(first.box.locator("iframe")).to_have_count(0)
    draws(canvas)
    first.notice.get_by_role("button", name="Reload").click()
    first.is_welcome()


def test_a_flood_of_large_messages_ends_before_it_freezes_the_page(canvas):
    """Each takes the page a tenth of a second, and two hundred small ones a second are allowed."""
    first = canvas.mount("a")
    first.run(
        """() => {
          const body = { list: Array(480_000).fill(0) };
          const ask = { type: 'widget-api-request', method: 'POST', endpoint: 'nowhere', body };
          for (let n = 0; n < 100; n += 1) page.tell({ ...ask, requestId: `r${n}` });
        }"""
    )
    expect(first.notice).to_contain_text("was ended")
    assert canvas.drops("a")["rate"] == 1
    draws(canvas)
