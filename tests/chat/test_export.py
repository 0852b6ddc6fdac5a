"""A chat as a file."""

import json

import gevent
import pytest

from service.chat.finding import export
from service.limits import page_turns
from tests.limits.page_queue import as_many_pages_as_allowed, is_queued
from tests.services import on_sqlite, wait_for


def exported(person, chat, form=None, **options):
    query = {"format": form} if form else {}
    return person.get(f"/api/ai/chats/{chat}/export", query_string=query, **options)


@on_sqlite
def test_a_chat_is_exported_as_markdown(alice):
    chat = alice.new_chat("My plans")
    alice.turn(chat, "add a task: buy milk")
    response = exported(alice, chat)
    assert response.content_type == "text/markdown; charset=utf-8"
    lines = response.text.splitlines()
    assert lines[0] == "# My plans"
    speakers = [line.split(" · ")[0] for line in lines if line.startswith("## ")]
    assert speakers == ["## You", "## Assistant"]
    assert "> Tool `records.create`" in lines
    assert "buy milk" in response.text


def test_a_chat_is_exported_as_json_in_pieces(alice, monkeypatch):
    monkeypatch.setattr(export, "PAGE", 2)
    chat = alice.new_chat("My plans")
    for number in range(3):
        alice.turn(chat, f"count to {number + 2}")
    response = exported(alice, chat, "json")
    assert response.content_type == "application/json"
    told = json.loads(response.data)
    assert told["chat"]["title"] == "My plans"
    assert told["messages"] == alice.records("ai-messages", where={"chatId": chat})
    assert len(told["messages"]) == 6


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_an_export_breaks_off_when_its_chat_is_deleted_meanwhile(alice, monkeypatch, capfd, form):
    """gunicorn logs an error for any other exception than that of a lost connection."""
    monkeypatch.setattr(export, "PAGE", 2)
    chat = alice.new_chat("My plans")
    for number in range(3):
        alice.turn(chat, f"count to {number + 2}")
    pieces = exported(alice, chat, form, buffered=False).iter_encoded()
    assert "My plans" in next(pieces).decode()
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 200
    with pytest.raises(ConnectionResetError):
        list(pieces)
    lines = map(json.loads, capfd.readouterr().err.splitlines())
    broken = [line for line in lines if line["event"] == "export broken off"]
    assert [(line["level"], line["error"]) for line in broken] == [("info", "not_found")]


@on_sqlite
def test_an_export_whose_chat_is_deleted_before_the_first_page_is_no_empty_file(alice):
    chat = alice.new_chat("My plans")
    alice.turn(chat, "count to 2")
    with as_many_pages_as_allowed("alice"):
        waiting = gevent.spawn(exported, alice, chat)
        wait_for(lambda: is_queued("alice"))
        assert alice.delete(f"/api/ai/chats/{chat}").status_code == 200
    assert waiting.get(timeout=10).status_code == 404


@on_sqlite
def test_an_empty_chat_is_exported_too(alice):
    chat = alice.new_chat()
    assert exported(alice, chat).text == "# Chat\n"
    assert json.loads(exported(alice, chat, "json").data)["messages"] == []


@on_sqlite
def test_an_export_is_refused_while_the_user_has_other_pages_read(alice, monkeypatch):
    monkeypatch.setattr(page_turns, "WAIT_SECONDS", 0.05)
    chat = alice.new_chat()
    with as_many_pages_as_allowed("alice"):
        refused = exported(alice, chat)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")


@on_sqlite
def test_only_the_owner_exports_a_chat(alice, bob, admin):
    chat = alice.new_chat("mine")
    for person in (bob, admin):
        response = exported(person, chat)
        assert response.status_code == 404
        assert response.json == exported(person, "chat_absent").json
    assert exported(alice, chat, "pdf").status_code == 400


TITLES = {
    "": ("chat.md", "chat.md"),
    "Résumé 2026": ("Resume 2026.md", "R%C3%A9sum%C3%A9%202026.md"),
    "../../etc/passwd": ("etc passwd.md", "etc%20passwd.md"),
    'a"; filename="b.exe': ("a filename b.exe.md", "a%20%3B%20filename%3D%20b.exe.md"),
    "北京": ("chat.md", "%E5%8C%97%E4%BA%AC.md"),
    "a\r\nSet-Cookie: x=1": ("a Set-Cookie x 1.md", None),
    "\u202egpj.exe": ("gpj.exe.md", "gpj.exe.md"),
    "...": ("chat.md", "chat.md"),
}


@pytest.mark.parametrize("title", TITLES)
def test_a_title_makes_a_safe_name(title):
    header = export.disposition(title, "markdown")
    plain, encoded = TITLES[title]
    assert f'filename="{plain}"' in header
    assert encoded is None or header.endswith(f"filename*=UTF-8''{encoded}")
    assert header.isascii()
    assert header.isprintable()


def test_no_text_of_a_tool_call_leaves_its_block(alice):
    part = {"type": "tool-x", "input": {"a": "```\n# not a title"}, "state": "output-error"}
    record = {"data": {"role": "assistant", "content": "done", "parts": [part, "odd", {}]},
              "createdAt": "2026-01-02T03:04:05.000000Z"}  # fmt: skip
    text = "".join(export.as_markdown({"title": ""}, iter([record])))
    assert "> Tool `x` (failed)" in text
    assert text.count("> ````") == 2
    assert "## Assistant · 2026-01-02 03:04 UTC" in text
