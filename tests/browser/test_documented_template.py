"""The template of docs/widgets.md, as a reader copies it into an extension."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from config import ROOT
from tests.browser.canvas import Canvas
from tests.browser.opening import opening
from tests.services import Service

GUIDE = (ROOT / "docs/widgets.md").read_text()
TEXT, COUNTED = "Text output, string, on Note", "Text input, string, on Word count"
LINE, BODY = "Line output, string, on Word count", "Text input, string, on Mail"


def block(language: str, section: str) -> str:
    """The first block of code in a section of the guide."""
    text = GUIDE.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)[0]


def write_extension(directory: Path) -> None:
    """The module, and the folder of the template beside it."""
    module = block("python", "A template").replace("my-widget", "word-count")
    (directory / "our_widgets.py").write_text(module)
    folder = directory / "word-count"
    folder.mkdir()
    for name, language in (("manifest.json", "json"), ("widget.js", "js")):
        (folder / name).write_text(block(language, "Ten lines make another one"))


@pytest.fixture
def canvas(tabs, databases, tmp_path):
    write_extension(tmp_path)
    own = {"EXTENSIONS": "our_widgets", "PYTHONPATH": tmp_path}
    service = Service(databases.make("sqlite"), **own)
    try:
        with opening(tabs, service.execute()) as open_one:
            yield Canvas(open_one().sign_in()).create()
    finally:
        service.remove()


def test_ten_lines_make_a_widget_that_takes_and_gives_a_value(canvas):
    assert block("js", "Ten lines make another one").count("\n") <= 10
    canvas.add("Note", "Word count", "Mail")
    canvas.connect(TEXT, COUNTED)
    canvas.connect(LINE, BODY)
    counter = canvas.frame("Word count")
    expect(counter.get_by_text("Connect a text.")).to_be_visible()
    expect(counter.get_by_role("main")).to_have_css("padding-left", "12px")
    canvas.frame("Note").get_by_label("Note").fill("Three small words")
    expect(counter.get_by_text("3 words")).to_be_visible()
    expect(canvas.frame("Mail").get_by_label("Message")).to_have_value("3 words")
