"""A tool of an app that writes: its changes are noted, taken back, and not made twice."""

import pytest

from service.chat.tools.run import FAILED, UNSURE
from tests import model_streams
from tests.chat.dead_turn import undo
from tests.chat.turns import call_tool
from tests.people import text_of
from tests.services import on_sqlite
from tests.upstream import Answer

pytestmark = [on_sqlite, pytest.mark.settings(extensions="tests.chat.writing_tools")]
NAME = "test.note-down"
CUT = Answer("data: {}\n\n")
DONE = Answer(model_streams.anthropic("done"))


def noting(*titles):
    return Answer(model_streams.anthropic_call("test__note-down", {"titles": titles}))


def result(chunks):
    [output] = [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]
    return output


def copying():
    return Answer(model_streams.anthropic_call("test__copy-down", {}))


def titles(alice):
    return [record["data"]["title"] for record in alice.records("notes")]


def test_each_write_leaves_its_entry(alice, chat):
    assert call_tool(alice, chat, NAME, titles=["a", "b"])["output"] == {"kept": 1}
    entries = alice.get("/api/ai/journal").json["entries"]
    assert [entry["outcome"] for entry in reversed(entries)] == [
        *["added"] * 2,
        *["updated"] * 2,
        "removed",
    ]
    assert {entry["tool"] for entry in entries} == {NAME}


def test_a_turn_with_a_tool_that_writes_more_than_once_is_undone(alice, chat):
    call_tool(alice, chat, NAME, titles=["a", "b"])
    assert titles(alice) == ["a"]
    [turn] = alice.records("ai-turns")
    assert len(undo(alice, turn["recordId"]).json["undone"]) == 2
    assert titles(alice) == []


def test_the_outcome_of_a_tool_that_fails_by_a_bug_is_unknown(alice, chat):
    assert call_tool(alice, chat, "test.break-down")["errorText"] == f"{FAILED} {UNSURE}"
    assert titles(alice) == ["a"]


def test_the_next_try_runs_it_again_and_repeats_no_write(alice, served_by, chat):
    served_by.answers = [noting("a", "b"), CUT]
    assert alice.turn(chat, "go", userMessageId="u")[-1]["type"] == "error"
    before = alice.records("notes")
    served_by.answers = [noting("a", "b"), DONE]
    chunks = alice.turn(chat, "go", userMessageId="u")
    assert (result(chunks), text_of(chunks)) == ({"kept": 1}, "done")
    assert alice.records("notes") == before


def test_a_second_call_in_the_next_try_writes(alice, served_by, chat):
    served_by.answers = [noting("a", "b"), CUT]
    alice.turn(chat, "go", userMessageId="u")
    served_by.answers = [noting("a", "b"), noting("a", "b"), DONE]
    alice.turn(chat, "go", userMessageId="u")
    assert titles(alice) == ["a", "a"]


def test_a_record_with_other_values_is_not_one_of_the_earlier_try(alice, served_by, chat):
    """A tool that looks what is left to do goes on behind what its earlier try has made."""
    for title in "ab":
        alice.post("/api/records/notes", {"title": title})
    served_by.answers = [copying(), CUT]
    alice.turn(chat, "go", userMessageId="u")
    served_by.answers = [copying(), DONE]
    alice.turn(chat, "go", userMessageId="u")
    assert {task["data"]["title"] for task in alice.records("tasks")} == {"a", "b"}


def test_a_time_in_another_notation_is_the_same_time(alice, served_by, chat):
    new = {"collection": "tasks", "data": {"title": "a", "due": "2026-08-01T10:00:00+02:00"}}
    creating = Answer(model_streams.anthropic_call("records__create", new))
    served_by.answers = [creating, CUT]
    alice.turn(chat, "go", userMessageId="u")
    served_by.answers = [creating, DONE]
    alice.turn(chat, "go", userMessageId="u")
    assert len(alice.records("tasks")) == 1


def test_a_pair_of_values_is_the_list_as_which_it_is_stored(alice, served_by, chat):
    hanging = Answer(model_streams.anthropic_call("test__hang-up", {}))
    served_by.answers = [hanging, CUT]
    alice.turn(chat, "go", userMessageId="u")
    served_by.answers = [hanging, DONE]
    alice.turn(chat, "go", userMessageId="u")
    assert len(alice.records("canvases")) == 1
