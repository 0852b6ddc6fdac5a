"""One canvas in several tabs, and with several people: all see the same, and nothing is lost."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.canvas import Canvas
from tests.browser.console_opening import opening
from tests.browser.page_connection import Line
from tests.services import Service, wait_for

TEXT, PERSON = "Text output, string, on Note", "Person output, object, on Contacts"
BODY, TO = "Text input, string, on Mail", "To input, object, on Mail"
CONNECTED = ["Text of Note to Text of Mail", "Person of Contacts to To of Mail"]


# One question to the page: a person's look would be a dozen of them, and is repeated.
LOOK = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    places: Object.fromEntries(all('article.shape').map((box) => [box.ariaLabel, box.getAttribute('style')])),
    rows: all('.connection-row').map((row) => row.innerText),
    title: document.querySelector('[aria-label="Title of the canvas"]').value,
  };
}"""  # noqa: E501


def look(canvas: Canvas) -> dict[str, Any]:
    """What a tab shows."""
    return canvas.page.evaluate(LOOK)


def show_the_same(canvases: list[Canvas], page: Page) -> dict[str, Any]:
    """What all tabs show, once they do."""
    for canvas in canvases:
        expect(canvas.rows).to_have_count(2)
    for _ in range(400):
        looks = [look(canvas) for canvas in canvases]
        if all(one == looks[0] for one in looks):
            return looks[0]
        page.wait_for_timeout(50)
    raise AssertionError(looks)


def rename(canvas: Canvas, title: str) -> None:
    title_field = canvas.page.get_by_label("Title of the canvas")
    title_field.fill(title)
    title_field.press("Enter")


def move(canvas: Canvas, name: str) -> None:
    canvas.grip(name).press("ArrowDown")


def settings_of(canvas: Canvas) -> Locator:
    canvas.console.button("Settings of Chart").click()
    return canvas.page.get_by_role("dialog", name="Settings of Chart")


def settings_of_both_are_stored(first: Canvas, second: Canvas) -> None:
    """Each has opened the settings before the other one has saved them."""

    def stored() -> Any:
        return first.stored()["widgets"][-1].get("settings")

    expect(second.boxes).to_have_count(2)
    mine, theirs = settings_of(first), settings_of(second)
    mine.get_by_label("Most items").fill("20")
    theirs.get_by_label("Kind").select_option("line")
    theirs.get_by_role("button", name="Save").click()
    wait_for(lambda: stored() == {"kind": "line"})
    first.page.wait_for_timeout(300)  # the change comes by the socket
    mine.get_by_role("button", name="Save").click()
    wait_for(lambda: stored() == {"kind": "line", "most": 20})


def note_of(canvas: Canvas) -> Locator:
    return canvas.frame("Note").get_by_label("Note")


def is_stored(canvas: Canvas, text: str) -> None:
    def kept() -> Any:
        noted = canvas.console.api("GET", "records/canvases")["records"][0]["data"]["io"]
        return [one.get("state", {}).get("text") for one in noted["widgets"].values()]

    wait_for(lambda: text in kept())


def test_two_tabs_write_into_one_canvas_and_lose_nothing(console, opened):
    first = Canvas(console).put("Note", "Mail")
    first.saved()
    second = Canvas(opened(like=console).sign_in())
    for tab in (first, second):
        tab.console.may_say("409")
    second.page.goto(first.page.url)
    expect(note_of(second)).to_be_visible()
    note_of(second).fill("Written in tab two.")
    expect(note_of(first)).to_have_value("Written in tab two.")
    note_of(first).press("End")
    note_of(first).press_sequentially(" And one.")
    expect(note_of(second)).to_have_value("Written in tab two. And one.")
    is_stored(first, "Written in tab two. And one.")
    is_half_written_in_both(first, second)
    note_of(first).fill("Mine")
    expect(note_of(second)).to_have_value("Mine")
    note_of(second).fill("Yours")
    offer = first.frame("Note").get_by_text("Changed in another tab or by somebody else: Yours")
    expect(offer).to_be_visible()
    expect(note_of(first)).to_have_value("Mine")
    first.frame("Note").get_by_role("button", name="Keep my version").click()
    expect(offer).to_be_hidden()
    is_stored(first, "Mine")
    second.frame("Note").get_by_role("button", name="Use this version").click()
    expect(note_of(second)).to_have_value("Mine")
    is_stored(second, "Mine")
    is_stored_also_when_the_other_tab_changes_its_widgets(first, second)
    settings_of_both_are_stored(first, second)


def is_half_written_in_both(first: Canvas, second: Canvas) -> None:
    """A draft of one tab comes to the other one, and so does its end."""
    subject, message = (first.frame("Mail").get_by_label(label) for label in ("Subject", "Message"))
    subject.fill("Spring")
    there = second.frame("Mail")
    expect(there.get_by_label("Subject")).to_have_value("Spring")
    there.get_by_label("Message").fill("Bring the key")
    expect(message).to_have_value("Bring the key")
    expect(subject).to_have_value("Spring")
    there.get_by_label("Message").fill("")
    expect(message).to_have_value("")


def is_stored_also_when_the_other_tab_changes_its_widgets(first: Canvas, second: Canvas) -> None:
    """The other tab does not write its own, older text of the note."""
    note_of(second).fill("Ours")
    is_stored(second, "Ours")
    second.grip("Mail").press("Delete")
    expect(first.boxes).to_have_count(1)  # which tells the host of this tab that a widget is gone
    first.add("Chart")
    wait_for(lambda: len(first.stored()["widgets"]) == 2)
    is_stored(first, "Ours")


@pytest.fixture(scope="module")
def shared(databases):
    """An app where everybody may read a canvas, and editors may change it."""
    extensions = "tests.widgets.shared_canvases,tests.browser.fast_service"
    with Service(databases.make("sqlite"), EXTENSIONS=extensions) as service:
        yield service.start()


def test_three_people_see_each_others_moves_also_after_an_offline_time(tabs, shared):
    with opening(tabs, shared) as opened:
        console = opened(sockets=True).sign_in()
        owner = Canvas(console).put("Note", "Contacts", "Mail")
        owner.saved()
        editor, reader = (Canvas(opened(role=role, beside=console)) for role in ("editor", "user"))
        line = Line(editor.page)
        line.install()
        for one in (owner, editor, reader):
            one.console.may_say("WebSocket|ERR_FAILED|409")
        for other in (editor, reader):
            other.console.sign_in()
            other.page.goto(owner.page.url)
            expect(other.boxes).to_have_count(3)
        before = look(owner)
        line.cut()
        move(owner, "Note")
        owner.connect(PERSON, TO)
        move(editor, "Contacts")
        editor.connect(TEXT, BODY)
        rename(editor, "Ours")
        expect(editor.page.locator(".canvas-phase")).to_have_text("Not saved yet")
        expect(reader.rows).to_have_text([CONNECTED[1]])
        line.up = True
        editor.page.evaluate("window.dispatchEvent(new Event('online'))")
        shown = show_the_same([owner, editor, reader], owner.page)
        assert (sorted(shown["rows"]), shown["title"]) == (sorted(CONNECTED), "Ours")
        changed = {
            name for name in shown["places"] if shown["places"][name] != before["places"][name]
        }
        assert changed == {"Note", "Contacts"}
        only_looks(reader)
        sees_a_new_title_after_leaving_the_field(reader, owner)
        sees_whose_it_is(reader, owner)


def sees_a_new_title_after_leaving_the_field(reader: Canvas, owner: Canvas) -> None:
    title = reader.page.get_by_label("Title of the canvas")
    title.focus()
    rename(owner, "Mine")
    expect(reader.page).to_have_title(re.compile("Mine"))
    expect(title).to_have_value("Ours")
    title.press("Tab")
    expect(title).to_have_value("Mine")


def sees_whose_it_is(reader: Canvas, owner: Canvas) -> None:
    """In the list, where the owner alone has a button that deletes."""
    for person, count in ((reader, 0), (owner, 1)):
        person.page.locator("main").get_by_role("link", name="Canvases").click()
        expect(person.page.get_by_role("button", name="Delete Mine")).to_have_count(count)
    card = reader.page.get_by_role("link", name=re.compile("^Mine"))
    expect(card).to_contain_text(f"of {owner.console.subject}, 3 widgets")
    expect(owner.page.get_by_text(f"of {owner.console.subject}")).to_have_count(0)


def only_looks(reader: Canvas) -> None:
    """A person who may not change the canvas is told so, and changes nothing."""
    before = look(reader)
    expect(reader.page.locator(".canvas-phase")).to_have_text("Read-only")
    expect(reader.page.get_by_text("This canvas is read-only: you see")).to_be_visible()
    expect(reader.console.button("Add widget")).to_be_disabled()
    expect(reader.page.get_by_role("button", name="Remove")).to_have_count(0)
    move(reader, "Note")
    reader.grip("Note").press("Delete")
    reader.slot(TEXT).press("Enter")
    expect(reader.page.locator("#announcer")).to_have_text("This canvas is read-only.")
    reader.drag(reader.grip("Mail"), 40, 80)
    assert look(reader) == before
    assert reader.console.violations() == []
