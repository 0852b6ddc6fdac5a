"""The endpoint explorer: files as parameters."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.explorer import Explorer
from tests.browser.office_suite import allow, forget

UPLOAD = "**/api/integrations/drive-upload"
MIB = 1 << 20
DROP = """(node, [name, type, content]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([content], name, { type }));
  return ['dragover', 'drop'].map((kind) => {
    const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
    node.dispatchEvent(event);
    return event.defaultPrevented;
  });
}"""


def a_file(name="Plan.txt", kind="text/plain", content=b"1. Write it.\n") -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": content}


@pytest.fixture
def large(tmp_path) -> Callable[[str, int], Path]:
    """Makes a file of so many MiB on the disk: the browser would be sent a payload as base64."""

    def make(name: str, size: int) -> Path:
        (tmp_path / name).write_bytes(b"x" * (size * MIB))
        return tmp_path / name

    return make


@pytest.fixture
def explorer(console) -> Explorer:
    return Explorer(console).show().open("drive-upload")


@pytest.fixture
def sent(explorer):
    """The bodies of the calls, which the page itself answers."""
    bodies = []

    def answer(route):
        bodies.append(json.loads(route.request.body))
        route.fulfill(json={"success": True, "data": {"id": "f1"}})

    explorer.page.route(UPLOAD, answer)
    return bodies


def test_a_chosen_file_is_shown_by_name_and_size_and_is_uploaded(explorer):
    forget(explorer.console)
    content = bytes(range(256)) * 800
    explorer.choose("contentBase64", a_file("Übersicht 1.bin", "application/zip", content))
    part = explorer.part("contentBase64")
    expect(part).to_contain_text("Übersicht 1.bin 200 KiB")
    expect(explorer.field("contentBase64")).to_be_hidden()
    expect(explorer.field("name")).to_have_value("Übersicht 1.bin")
    expect(explorer.field("mimeType")).to_have_value("application/zip")
    expect(explorer.code).to_contain_text("base64 < 'Übersicht 1.bin'")
    explorer.send()
    expect(explorer.dialog).to_contain_text("Übersicht 1.bin, 204800 bytes")
    explorer.console.button("Allow once").click()
    with explorer.page.expect_popup() as window:
        explorer.console.button("Connect").click()
    allow(window.value)
    expect(explorer.answer).to_contain_text('"name": "Übersicht 1.bin"')
    file = json.loads(explorer.json.inner_text())["id"]
    stored = explorer.console.api("POST", "integrations/drive-download", {"fileId": file})
    assert base64.b64decode(stored["data"]["contentBase64"]) == content
    assert len(explorer.page.content()) < 200_000, "the page has no wall of base64"


def test_a_file_can_be_replaced_and_removed_with_the_keyboard(explorer):
    explorer.choose("contentBase64", a_file())
    explorer.choose("contentBase64", a_file("Notes.md", "text/markdown", b"# Notes"))
    expect(explorer.field("name")).to_have_value("Notes.md")
    explorer.fill(name="Mine.md")
    remove = explorer.console.button("Remove the file of contentBase64")
    remove.press("Enter")
    expect(explorer.part("contentBase64").get_by_text("Notes.md")).to_be_hidden()
    expect(explorer.field("contentBase64")).to_be_visible()
    expect(explorer.console.button("Choose a file for contentBase64")).to_be_focused()
    expect(explorer.field("name")).to_have_value("Mine.md")
    expect(explorer.field("mimeType")).to_have_value("")
    expect(explorer.code).not_to_contain_text("base64 <")


def test_files_that_are_too_large_together_are_refused_before_anything_is_sent(explorer, large):
    explorer.open("style-transfer-image")
    requests = []
    explorer.page.on("request", lambda one: requests.append(one.url))
    for name in ("image", "referenceImage"):
        explorer.choose(name, large(f"{name}.png", 4))
        expect(explorer.part(name)).to_contain_text("4 MiB")
        expect(explorer.code).to_contain_text(f"{name}.png")
    explorer.send()
    refusal = explorer.page.get_by_text("The body has 10.7 MiB as JSON")
    expect(refusal).to_contain_text("At most 8 MiB are accepted. Nothing was sent.")
    assert [url for url in requests if "integrations/price" in url] == []
    explorer.choose("referenceImage", a_file("small.png", "image/png", b"x"))
    expect(explorer.code).to_contain_text("small.png")
    with explorer.page.expect_request("**/price/style-transfer-image"):
        explorer.send()
    expect(refusal).to_have_count(0)


def test_a_file_is_dropped_on_its_field_and_nowhere_else(explorer):
    dropped = ["Plan.txt", "text/plain", "1. Write it.\n"]
    is_refused, _ = explorer.title.evaluate(DROP, dropped)
    assert is_refused, "the browser would leave the page for the file"
    assert explorer.part("contentBase64").evaluate(DROP, dropped) == [True, True]
    expect(explorer.part("contentBase64")).to_contain_text("Plan.txt 13 bytes")
    expect(explorer.field("mimeType")).to_have_value("text/plain")


def test_a_draft_has_no_content_and_asks_for_the_file_again(explorer, sent):
    explorer.choose("contentBase64", a_file(content=b"a secret of the user"))
    expect(explorer.code).to_contain_text("base64 < Plan.txt")
    explorer.page.route(UPLOAD, lambda route: route.abort(), times=1)
    explorer.console.may_say("ERR_FAILED")
    explorer.send()
    explorer.console.button("Allow once").click()
    expect(explorer.answer.get_by_role("alert")).to_be_visible()
    stored = explorer.page.evaluate("JSON.stringify([sessionStorage, localStorage])")
    assert "Plan.txt" in stored
    assert base64.b64encode(b"a secret of the user").decode() not in stored
    explorer.page.reload()
    expect(explorer.part("contentBase64")).to_contain_text("Choose it again")
    explorer.send()
    choose = explorer.console.button("Choose the file for contentBase64")
    expect(choose).to_be_focused()
    expect(choose).to_have_accessible_description(re.compile("Choose “Plan.txt” again"))
    explorer.choose("contentBase64", a_file(content=b"a secret of the user"))
    expect(explorer.part("contentBase64")).not_to_contain_text("again")
    explorer.send()
    explorer.console.button("Allow once").click()
    expect(explorer.answer).to_contain_text("f1")
    assert len(sent) == 1


def test_the_body_as_json_has_the_files_name_and_sends_its_content(explorer, sent):
    explorer.choose("contentBase64", a_file())
    explorer.console.button("JSON").click()
    text = explorer.page.get_by_label("Body as JSON")
    expect(text).to_have_value(re.compile(r'"contentBase64": "<Plan.txt, 13 bytes, \w{16}>"'))
    explorer.send()
    explorer.console.button("Allow once").click()
    expect(explorer.answer).to_contain_text("f1")
    assert sent[0]["contentBase64"] == base64.b64encode(b"1. Write it.\n").decode()
    explorer.console.button("Fields").click()
    expect(explorer.part("contentBase64")).to_contain_text("Plan.txt 13 bytes")


def test_a_picture_is_an_address_or_a_file(explorer):
    explorer.open("upscale-image").fill(image="https://example.com/photo.jpg")
    expect(explorer.code).to_contain_text('"image":"https://example.com/photo.jpg"')
    with explorer.page.expect_file_chooser() as opened:
        explorer.console.button("Choose a file for image").click()
    assert opened.value.element.get_attribute("accept") == "image/*"
    opened.value.set_files(a_file("Photo.png", "image/png", b"\x89PNG"))
    expect(explorer.part("image")).to_contain_text("Photo.png 4 bytes")
    expect(explorer.code).to_contain_text("base64 < Photo.png")


def test_axe_finds_nothing_at_a_chosen_a_refused_and_a_lost_file(opened, large):
    narrow = {"width": 390, "height": 844}  # without the long list of endpoints
    console = opened(reduced_motion="reduce", viewport=narrow, fresh=True).sign_in()
    explorer = Explorer(console).show().open("drive-upload")
    explorer.choose("contentBase64", a_file())
    expect(explorer.field("name")).to_have_value("Plan.txt")
    explorer.choose("contentBase64", large("Film.mp4", 6))
    refusal = "“Film.mp4” has 6 MiB. At most 5 MiB are accepted here."
    expect(explorer.part("contentBase64")).to_contain_text(refusal)
    button = console.button("Choose another file for contentBase64")
    expect(button).to_have_accessible_description(re.compile(re.escape(refusal)))
    expect(explorer.part("contentBase64")).to_contain_text("Plan.txt")
    assert console.violations() == [], "a chosen and a refused file"
    assert console.width() <= 390
    explorer.page.reload()
    expect(explorer.part("contentBase64")).to_contain_text("Choose it again")
    assert console.violations() == [], "a lost file"
