"""Accessibility: axe, keyboard, small screens, screen readers, reduced motion."""

from playwright.sync_api import expect

from tests.browser.watched_page import WATCH


def test_axe_finds_nothing_in_any_state(opened):
    console = opened(reduced_motion="reduce").open()
    assert console.violations() == [], "signed out"
    console.sign_in()
    assert console.violations() == [], "empty"
    console.page.get_by_label("New task").fill("A task")
    console.page.keyboard.press("Enter")
    done = console.page.get_by_label("Done: A task")
    done.click()
    expect(done).to_be_checked()
    console.page.get_by_label("New note").fill("A note")
    console.page.keyboard.press("Enter")
    console.ask("repeat after me: # T\n\n`c` [l](https://e.org)\n\n```js\nx\n```\n\n|a|\n|-|\n|b|")
    console.ask("Which collections are there, and who am I?")
    console.answers.last.locator("summary").first.click()
    console.send("/fail silent-first x")
    expect(console.page.get_by_text("Thinking")).to_be_visible()
    assert console.violations() == [], "a conversation, busy"
    console.button("Stop").click()
    console.is_idle()
    console.send("/fail error-midway count to 9")
    expect(console.problem).not_to_be_empty()
    console.chats.first.get_by_role("button", name="Options").click()
    expect(console.problem).not_to_be_empty()
    assert console.violations() == [], "an error, and the menu"
    console.page.get_by_role("menuitem", name="Delete").click()
    assert console.violations() == [], "dialog"


GREY = """() => {
  const text = document.querySelector('main').appendChild(document.createElement('p'));
  text.textContent = 'Grey on grey';
  Object.assign(text.style, { color: '#828282', background: '#787878' });
}"""


def test_axe_finds_colours_that_can_not_be_read(opened):
    """In light and in dark, though it remembers the colours that it has read."""
    console = opened().open()
    assert console.violations() == []
    console.page.evaluate(GREY)
    assert len([line for line in console.violations() if "color-contrast" in line]) == 2


def test_nothing_scrolls_sideways_at_320_pixels_but_wide_blocks(opened):
    console = opened(viewport={"width": 320, "height": 640}).open()
    assert console.width() <= 320
    console.sign_in()
    row = "|" + "wide words |" * 9
    table = f"{row}\n{'|-' * 9}|\n{row}"
    long = f"{'long' * 60} `{'code' * 60}`\n\n{table}"
    console.ask(f"repeat after me: {long}\n\n```\n{'x' * 300}\n```")
    boxes = console.answers.last.locator(".table-box, pre")
    expect(boxes).to_have_count(2)
    for box in boxes.all():
        assert box.evaluate("(box) => box.scrollWidth > box.clientWidth")
        expect(box).to_have_attribute("tabindex", "0")
    console.ask("Which collections are there, and who am I?")
    console.send("/fail error-first x")
    expect(console.problem).not_to_be_empty()
    for name in ("Chats", "Conversation", "Data"):
        console.button(name).click()
        assert console.width() <= 320, name
    console.page.get_by_label("New task").fill("x" * 200)
    console.page.keyboard.press("Enter")
    expect(console.table("Tasks")).to_be_visible()
    assert console.width() <= 320


def test_targets_are_large_enough(console):
    console.new_chat("a chat")
    console.page.reload()
    console.page.get_by_label("New task").fill("a task")
    console.page.keyboard.press("Enter")
    expect(console.table("Tasks")).to_be_visible()
    for target in console.page.locator("button:visible, a:visible, summary:visible").all():
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24, target.inner_text()


def test_a_whole_journey_by_keyboard(opened):
    console = opened().open()
    keys = console.page.keyboard
    expect(console.page.get_by_label("Sign-in token")).to_be_focused()
    keys.insert_text(console.token)
    keys.press("Enter")
    expect(console.composer).to_be_focused()
    keys.type("describe ai-chats")
    keys.press("Enter")
    expect(console.answers).to_contain_text(["has the columns"])
    expect(console.composer).to_be_focused()
    tab_to(console, "summary", back=True)
    keys.press("Enter")
    expect(console.answers.last.get_by_role("table")).to_be_visible()
    tab_to(console, ".chat-link", back=True)
    keys.press("F2")
    keys.type("By keyboard")
    keys.press("Enter")
    expect(console.page.get_by_role("heading", name="By keyboard")).to_be_visible()
    expect(console.page.get_by_label("New task")).to_be_visible()  # the pane comes after the page
    tab_to(console, "[aria-label='New task']")
    keys.type("Typed")
    keys.press("Enter")
    expect(console.page.get_by_label("Title of Typed")).to_be_visible()
    tab_to(console, "[aria-label='Done: Typed']")
    keys.press("Space")
    expect(console.page.locator(".is-done")).to_have_count(1)
    tab_to(console, ".chat-link", back=True)
    keys.press("ArrowRight")
    keys.press("Enter")
    expect(console.page.get_by_role("menuitem", name="Rename")).to_be_focused()
    keys.press("End")
    keys.press("Enter")
    keys.press("Tab")
    keys.press("Enter")
    expect(console.chats).to_have_count(0)
    expect(console.page.locator("button:focus")).to_have_count(1)


def tab_to(console, selector: str, back: bool = False) -> None:
    """Press Tab until the element has the focus; check that each focus is visible."""
    for _ in range(60):
        console.page.keyboard.press("Shift+Tab" if back else "Tab")
        there, outline = console.page.evaluate(
            "(s) => { const e = document.activeElement; const box = e.closest('.composer-box');"
            "return [e.matches(s), getComputedStyle(box ?? e).outlineStyle]; }",
            selector,
        )
        assert outline != "none", console.page.evaluate("document.activeElement.outerHTML")
        if there:
            return
    raise AssertionError(f"no way to {selector}")


def test_a_screen_reader_hears_of_an_answer_once(console):
    console.page.evaluate(WATCH)
    console.ask("count to 40")
    expect(console.page.get_by_role("status")).to_have_text("Reply ready")
    expect(console.log).to_have_attribute("aria-live", "off")
    assert console.page.evaluate("window.announcements") == ["Reply ready"]


def test_nothing_moves_with_reduced_motion(opened):
    console = opened(reduced_motion="reduce").sign_in()
    console.send("/fail silent-first x")
    expect(console.page.get_by_text("Thinking")).to_be_visible()
    moving = console.page.evaluate("document.getAnimations().length")
    assert moving == 0
    console.button("Stop").click()
    console.is_idle()


OUTLINE = "(node) => [getComputedStyle(node).outlineStyle, getComputedStyle(node).outlineWidth]"


def test_in_forced_colours_the_focus_is_seen_on_what_is_marked(opened):
    console = opened(forced_colors="active").sign_in()
    page = console.page
    console.new_chat("A chat")
    console.open_chat("A chat")
    views = page.get_by_role("navigation", name="Views").locator("[aria-current]")
    for marked in (views, page.locator(".chat-link[aria-current]")):
        marked.press("Shift")
        expect(marked).to_be_focused()
        assert marked.evaluate(OUTLINE) == ["solid", "4px"]  # the mark has 2px
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search and commands")
    expect(field).to_be_focused()
    assert field.evaluate(OUTLINE) == ["solid", "4px"]


def test_the_policy_is_in_force(console):
    """Every other test fails on a violation, so the page also works under the policy."""
    console.may_say("TrustedHTML|Content Security Policy|require-trusted-types")
    refused = console.page.evaluate(
        "() => { try { document.body.innerHTML = '<b>'; return ''; } catch (e) { return `${e}`; } }"
    )
    assert "TrustedHTML" in refused


def test_the_page_is_light(opened):
    """The first paint needs few and small files, and waits for style sheets only.

    What messages need comes behind them.
    """
    console = opened(alone=True).open()  # with nothing in its cache
    expect(console.page.get_by_label("Sign-in token")).to_be_visible()
    resources = console.page.evaluate(
        "() => performance.getEntriesByType('resource').map((one) =>"
        " [one.name, one.transferSize, one.renderBlockingStatus])"
    )
    behind = console.page.locator("[fetchpriority=low]")
    later = behind.evaluate_all("(links) => links.map((link) => link.href)")
    assert len(later) < 30
    resources = [one for one in resources if one[0] not in later]
    names, sizes, blocking = zip(*resources, strict=True)
    assert all(name.startswith(console.service.url) for name in names)
    assert sum(sizes) < 150_000
    assert len(names) <= 85
    assert {name.rpartition(".")[2] for name, how in zip(names, blocking, strict=True)
            if how == "blocking"} == {"css"}  # fmt: skip
