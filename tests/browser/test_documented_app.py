"""The app of docs/extending.md, as a reader copies it: the file, the commands, the console."""

import json
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from config import ROOT
from tests.browser.page import Console
from tests.fresh_copy import FreshCopy
from tests.services import free_port, require

GUIDE = (ROOT / "docs/extending.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, re.S)
NEXT = "\n----\n"  # between the answers of two blocks


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCKS if kind == language]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The printed commands, run in a copy of the tree that has the file: address and token."""
    require(shutil.which("curl"), "curl")
    copy, port = FreshCopy(tmp_path_factory.mktemp("app") / "copy"), free_port()
    (module, tests), start = blocks("python"), blocks("bash")[0]
    (copy.place / "app").mkdir()
    (copy.place / "app/bookshelf.py").write_text(module)
    (copy.place / "app/test_bookshelf.py").write_text(tests.replace("8123", str(free_port())))
    with copy.serving("bash", "-euc", start, until=b"#token=", PORT=str(port)) as printed:
        token = re.search(r"^ey[\w.-]+$", printed, re.M)[0]
        yield SimpleNamespace(url=f"http://127.0.0.1:{port}", port=port, token=token, copy=copy)


def form(value):
    """The names and types in a JSON value; of a list, those of its items."""
    match value:
        case dict():
            return {name: form(each) for name, each in value.items()}
        case list():
            return [form(each) for each in value]
    return type(value).__name__


def test_the_printed_requests_give_answers_of_the_printed_form(app):
    first, *requests = [text for text in blocks("bash")[1:-1] if "watchfiles" not in text]
    first = first.replace("paste-the-sign-in-token-here", app.token).replace("8000", str(app.port))
    script = first + f"echo '{NEXT}'\n".join(requests)
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=120)
    answers = [json.loads(text) for text in done.stdout.split(NEXT)]
    printed = [json.loads(text) for text in blocks("json")]
    assert [form(answer) for answer in answers] == [form(answer) for answer in printed]
    assert answers[2] == printed[2]
    assert answers[3]["output"] == printed[3]["output"]


def test_the_printed_tests_pass(app):
    settings, command = blocks("bash")[0].removesuffix("make run\n"), blocks("bash")[-1]
    done = app.copy.run("bash", "-euc", settings + command)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^=+ 3 passed", done.stdout, re.M)


def test_the_console_shows_what_the_file_declares(app, tabs):
    page = tabs.take(alone=True)
    console = Console(page, app, app.token, "alice").sign_in()
    page.get_by_role("link", name="Data", exact=True).click()
    # A chat may be about books too.
    collections = page.get_by_role("navigation", name="Collections")
    expect(collections.get_by_role("link", name="Books")).to_be_visible()
    page.goto(f"{app.url}/#/explorer/library-search")
    expect(page.get_by_role("heading", name="library-search")).to_be_visible()
    page.goto(f"{app.url}/#/chat")
    console.ask('call library-search with {"text": "dune", "limit": 1}')
    expect(console.answers.last).to_contain_text("Found 1 book")
    assert console.leave() == []


def test_the_chat_undoes_what_the_tool_of_the_file_has_changed(app, tabs):
    page = tabs.take(alone=True)
    console = Console(page, app, app.token, "alice").sign_in()
    book = '{"collection": "books", "data": {"title": "Emma", "read": false}}'
    console.ask(f"call records.create with {book}")
    console.ask('call books.finish with {"title": "Emma"}')
    undo = console.answers.last.get_by_role("button", name="Undo changes")
    expect(undo).to_be_attached()
    undo.press("Enter")
    dialog = page.get_by_role("dialog", name="Undo these changes?")
    expect(dialog).to_contain_text("The assistant has changed 1 book.")
    dialog.get_by_role("button", name="Undo changes").click()
    expect(console.answers.last).to_contain_text("Undone: 1 book.")
    assert console.leave() == []
