"""The template of docs/widgets.md, as a reader copies it into an extension."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from config import ROOT
from tests.browser.canvas import Canvas
from tests.browser.console_opening import opening
from tests.browser.mail_widget import approve
from tests.services import Service

GUIDE = (ROOT / "docs/widgets.md").read_text()
COUNTS, ASKS = "Ten lines make another one", "A paid call"  # sections with a template each
FOLDERS = {"word-count": COUNTS, "ask": ASKS}


def block(language: str, section: str) -> str:
    """The first block of code in a section of the guide."""
    text = GUIDE.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)[0]


def write_extension(directory: Path) -> None:
    """The module, and the folders of the templates beside it."""
    module = block("python", "A template").replace("my-widget", "word-count")
    other = 'TEMPLATES.append(Path(__file__).with_name("ask"))\n'
    (directory / "our_widgets.py").write_text(module + other)
    for handle, section in FOLDERS.items():
        folder = directory / handle
        folder.mkdir()
        for name, language in (("manifest.json", "json"), ("widget.js", "js")):
            (folder / name).write_text(block(language, section))


@pytest.fixture(scope="module")
def extended(databases, tmp_path_factory):
    """A service with the extension."""
    directory = tmp_path_factory.mktemp("extension")
    write_extension(directory)
    own = {"EXTENSIONS": "our_widgets,tests.browser.fast_service", "PYTHONPATH": directory}
    with Service(databases.make("sqlite"), **own) as service:
        yield service.start()


@pytest.fixture
def canvas(tabs, extended):
    with opening(tabs, extended) as open_one:
        yield Canvas(open_one().sign_in())


def test_ten_lines_make_a_widget_that_takes_and_gives_a_value(canvas):
    assert block("js", COUNTS).count("\n") <= 10
    lines = [("note.text", "word-count.text"), ("word-count.line", "mail.text")]
    canvas.put("Note", "Word count", "Mail", lines=lines)
    counter = canvas.frame("Word count")
    expect(counter.get_by_text("Connect a text.")).to_be_visible()
    expect(counter.get_by_role("main")).to_have_css("padding-left", "12px")
    canvas.frame("Note").get_by_label("Note").fill("Three small words")
    expect(counter.get_by_text("3 words")).to_be_visible()
    expect(canvas.frame("Mail").get_by_label("Message")).to_have_value("3 words")


def test_a_paid_call_is_made_once_the_user_has_allowed_it(canvas):
    lines = [("note.text", "ask.question"), ("ask.answer", "mail.text")]
    canvas.put("Note", "Ask a model", "Mail", lines=lines)
    asking = canvas.frame("Ask a model")
    canvas.frame("Note").get_by_label("Note").fill("Which planet is the largest?")
    expect(asking.get_by_label("Question")).to_have_value("Which planet is the largest?")
    asking.get_by_role("button", name="Ask").press("Enter")
    expect(canvas.page.get_by_role("dialog")).to_contain_text("Which planet is the largest?")
    approve(canvas)
    expect(asking.get_by_text("Jupiter.")).to_be_visible()
    expect(canvas.frame("Mail").get_by_label("Message")).to_have_value("Jupiter.")
