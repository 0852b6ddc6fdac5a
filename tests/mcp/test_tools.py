"""The tools of the records: how they are listed, what they do, and what the journal says."""

import re

import pytest
from jsonschema_rs import Draft202012Validator

from service.mcp.tool_list import NAME_LIMIT
from tests.mcp.schemas import references
from tests.services import on_sqlite

pytestmark = on_sqlite

HINTS = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
READERS = {"schema_list", "schema_describe", "user_current", "records_query", "records_get"}
WRITERS = {"records_create", "records_update", "records_delete"}
NOTES = {"collection": "notes"}


def test_every_tool_is_described_so_that_no_client_drops_the_list(speaker):
    tools = speaker.result("tools/list")["tools"]
    assert {tool["name"] for tool in tools} >= READERS | WRITERS
    for tool in tools:
        assert re.fullmatch(r"[a-zA-Z0-9_-]+", tool["name"])
        assert len(tool["name"]) <= NAME_LIMIT
        assert tool["description"]
        assert tool["title"] == tool["annotations"]["title"]
        assert set(tool["annotations"]) == {"title", *HINTS}
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        Draft202012Validator(schema)
        assert references(schema) == []


def test_the_list_is_one_page_in_a_stable_order(speaker):
    listed = speaker.result("tools/list")
    names = [tool["name"] for tool in listed["tools"]]
    assert set(names) >= READERS | WRITERS
    assert len(names) == len(set(names))
    assert "nextCursor" not in listed
    assert speaker.result("tools/list")["tools"] == listed["tools"]


def test_the_hints_tell_readers_from_writers(modern):
    tools = {tool["name"]: tool for tool in modern.result("tools/list")["tools"]}
    for name in READERS | WRITERS:
        hints = tools[name]["annotations"]
        assert hints["readOnlyHint"] is (name in READERS)
        assert hints["openWorldHint"] is False
        assert "osts nothing" in tools[name]["description"]
    assert tools["records_delete"]["annotations"]["destructiveHint"] is True
    assert tools["records_create"]["annotations"]["destructiveHint"] is False


@pytest.mark.settings(tools_allowed="records.query,user.current")
def test_tools_that_are_not_allowed_are_not_there(speaker):
    names = [tool["name"] for tool in speaker.result("tools/list")["tools"]]
    assert names == ["user_current", "records_query"]


def test_the_tools_do_what_the_routes_do(speaker, alice):
    made = speaker.call("records_create", **NOTES, data={"title": "one"})["structuredContent"]
    assert alice.records("notes") == [made]
    named = {**NOTES, "recordId": made["recordId"]}
    changed = speaker.call("records_update", **named, data={"text": "more"})
    assert changed["structuredContent"]["data"]["text"] == "more"
    page = speaker.call("records_query", **NOTES, where={"text": "more"})
    assert page["structuredContent"]["records"] == [changed["structuredContent"]]
    assert speaker.call("records_delete", **named)["isError"] is False
    assert alice.records("notes") == []


def test_a_result_is_text_and_an_object(handshake):
    result = handshake.call("schema_list")
    assert result["structuredContent"]["collections"]
    [content] = result["content"]
    assert content["type"] == "text"
    assert "notes" in content["text"]


def test_a_tool_is_also_known_by_its_own_name(speaker):
    assert speaker.call("user.current")["structuredContent"]["recordId"] == "alice"


def test_bad_arguments_and_refusals_are_errors_that_say_what_to_do(speaker, bob):
    theirs = bob.post("/api/records/notes", {"title": "bob's"}).json["recordId"]
    texts = {
        "Missing data for required field.": speaker.call("records_get", **NOTES),
        "Unknown field.": speaker.call("user_current", colour="red"),
        "This does not exist": speaker.call("records_get", **NOTES, recordId=theirs),
        "Must be of type string.": speaker.call("records_create", **NOTES, data={"title": 5}),
    }
    for text, result in texts.items():
        assert result["isError"] is True
        assert "structuredContent" not in result
        assert text in result["content"][0]["text"]


def test_a_write_is_in_the_journal_under_an_id_of_its_own(speaker, alice):
    speaker.call("records_create", **NOTES, data={"title": "one"})
    speaker.call("records_create", **NOTES, data={"title": "two"})
    newer, older = alice.get("/api/ai/journal").json["entries"]
    assert newer["tool"] == "records.create"
    assert newer["turnId"].startswith("mcp_")
    assert newer["turnId"] != older["turnId"]


def test_what_is_deleted_can_be_undone_as_the_tool_says(modern, alice):
    made = modern.call("records_create", **NOTES, data={"title": "one"})["structuredContent"]
    modern.call("records_delete", **NOTES, recordId=made["recordId"])
    [entry, _] = alice.get("/api/ai/journal").json["entries"]
    undone = alice.post(f"/api/ai/turns/{entry['turnId']}/undo", {}).json
    assert (undone["conflicts"], alice.records("notes")[0]["recordId"]) == ([], made["recordId"])
    tools = {tool["name"]: tool for tool in modern.result("tools/list")["tools"]}
    described = tools["records_delete"]["description"]
    assert "The user can undo it in the app, except for a chat." in described
    assert "for good" not in described


def test_equal_calls_are_all_made(speaker):
    for _ in range(4):
        assert speaker.call("schema_list")["structuredContent"]["collections"]
