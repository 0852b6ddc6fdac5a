"""Takes the screenshots of the console for the documentation, from a running service:

    .venv/bin/python -m tests.browser.screenshot [DIRECTORY]

Inter (Debian's `fonts-inter`) makes it look as it does on most machines.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect, sync_playwright

from config import ROOT
from service.auth.tokens import issue
from tests.browser import chromium, contact_sheet
from tests.browser.canvas import Canvas
from tests.browser.canvas_page import Canvas as Sheet
from tests.browser.explorer import Explorer
from tests.browser.office_suite import Connections, forget
from tests.browser.page import Console
from tests.services import Databases, Service, settings_for

SIZE = {"width": 1440, "height": 900}
PEOPLE = ("alice", "bob")  # bob has connected nothing yet
PHONE = {"width": 320, "height": 640}
SHEET = {"width": 1280, "height": 1100}
COLUMN = {"width": 320, "height": 3470}  # all widgets below each other
SHEETS: list[tuple[str, Literal["light", "dark"], Any]] = [
    ("widgets.png", "light", SHEET),
    ("widgets-dark.png", "dark", SHEET),
    ("widgets-phone.png", "light", COLUMN),
    ("widgets-phone-dark.png", "dark", COLUMN),
]
RECORDS = [
    ("tasks", {"title": "Book the train", "done": True}),
    ("tasks", {"title": "Order badges for the fair", "due": "2026-12-01T09:00:00Z"}),
    ("notes", {"title": "Budget", "text": "1 200 for catering, 300 for print"}),
    ("notes", {"title": "Venue", "text": "Hall B, 40 seats. Ask for the key at the front desk."}),
]
MESSAGES = [
    "Add two tasks: call the caterer, print the programme",
    "Mark Order badges for the fair as done",
]


def main(pictures: Path) -> None:
    directory = Path(tempfile.mkdtemp())
    databases = Databases(directory)
    try:
        with Service(databases.make("sqlite")) as service:
            take(service.start(), pictures)
    finally:
        shutil.rmtree(directory)


def take(service: Service, pictures: Path) -> None:
    alice, bob = (issue(settings_for(service.database_url), one, "user", 3600) for one in PEOPLE)
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        look: dict[str, Any] = {"viewport": SIZE, "locale": "en-GB", "timezone_id": "UTC"}
        page = browser.new_context(**look, reduced_motion="reduce").new_page()
        console = Console(page, service, alice, "alice")
        talk(console)
        page.screenshot(path=pictures / "console.png")
        connect(console)
        page.screenshot(path=pictures / "connections.png")
        explore(console)
        page.screenshot(path=pictures / "explorer.png")
        show_phone(page, pictures / "explorer-phone.png")
        draw(console)
        page.screenshot(path=pictures / "canvas.png")
        page.emulate_media(color_scheme="dark")
        page.screenshot(path=pictures / "canvas-dark.png")
        page.emulate_media(color_scheme="light")
        show_phone(page, pictures / "canvas-phone.png")
        sheet(Console(page, service, bob, "bob"), pictures)
        browser.close()


def talk(console: Console) -> None:
    for collection, data in RECORDS:
        console.api("POST", f"records/{collection}", data)
    for title in ("Questions for the vendor", "Notes of the kick-off", "Spring fair"):
        console.new_chat(title)
    console.sign_in()
    console.page.get_by_text("Spring fair").click()
    for text in MESSAGES:
        console.ask(text)
    console.answers.nth(0).locator("summary").first.click()
    expect(console.answers.nth(0).get_by_role("table")).to_be_visible()
    console.log.evaluate("(log) => log.scrollTo(0, log.scrollHeight)")
    console.page.mouse.move(700, 5)


def connect(console: Console) -> None:
    connections = Connections(console).show()
    for title in ("Calendar", "Read mail"):
        connections.connect(title)
        connections.try_it(title)
        expect(connections.lines(title).first).to_be_visible()
    console.page.mouse.move(700, 5)
    console.page.locator("h2").first.click()  # takes the focus ring off the last button


def explore(console: Console) -> None:
    explorer = Explorer(console).show().open("weather-forecast").fill(city="Berlin")
    explorer.field("city").press("Enter")  # a click on Send would scroll the title away
    expect(explorer.answer.get_by_role("table")).to_be_visible()
    console.page.mouse.move(700, 5)


def draw(console: Console) -> None:
    Connections(console).show().connect("Contacts")
    canvas = Canvas(console).create().add("Note", "Mail", "Contacts", "Weather")
    canvas.connect("Text output, string, on Note", "Text input, string, on Mail")
    canvas.connect("Person output, object, on Contacts", "To input, object, on Mail")
    canvas.connect("Place output, object, on Contacts", "Place input, object, on Weather")
    console.button("Arrange").click()
    canvas.frame("Note").get_by_role("textbox").first.fill("Bring the badges, please.")
    canvas.frame("Contacts").get_by_role("button", name="Show contacts").click()
    console.page.wait_for_timeout(500)  # the buttons of an approval do nothing at first
    console.page.get_by_role("dialog").get_by_role("button", name="Allow once").click()
    canvas.frame("Contacts").get_by_role("button", name="Dani Okafor").click()
    expect(canvas.frame("Weather").get_by_text("°").first).to_be_visible()
    canvas.saved()
    console.page.mouse.move(700, 5)


def show_phone(page: Page, picture: Path) -> None:
    page.set_viewport_size(PHONE)
    page.screenshot(path=picture)
    page.set_viewport_size(SIZE)


def sheet(console: Console, pictures: Path) -> None:
    """All widgets with data: side by side in light and dark, and below each other."""
    forget(console)
    console.page.set_viewport_size(SHEET)
    contact_sheet.fill(contact_sheet.lay_out(Sheet(console)))
    for name, scheme, size in SHEETS:
        console.page.emulate_media(color_scheme=scheme)
        console.page.set_viewport_size(size)
        console.page.mouse.move(2, 2)
        console.page.wait_for_timeout(700)  # until every frame is painted in its new size
        console.page.screenshot(path=pictures / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
