"""The commands of docs/sandbox.md as the sandbox's assistant takes them."""

import json

import pytest

from service.sandbox.assistant import HELP, AssistantInput, AssistantReply, reply

TOOLS = frozenset(
    ["schema.list", "schema.describe", "user.current", "records.query", "records.create"]
    + ["records.update", "records.delete", "canvas.templates", "canvas.check"]
)


def calls(text, *results):
    return reply(AssistantInput(text, results=results, tools=TOOLS)).calls


def said(text, *results):
    return reply(AssistantInput(text, results=results, tools=TOOLS)).text


def added(kind, *titles):
    return tuple(
        ("records.create", {"collection": kind, "data": {"title": title}}) for title in titles
    )


def looked_up(kind, title):
    where = {"title": {"contains": title}}
    return (("records.query", {"collection": kind, "where": where}),)


def listed(kind):
    return (("records.query", {"collection": kind}),)


FIRST = {
    "Which collections are there?": (("schema.list", {}),),
    "Who am I?": (("user.current", {}),),
    "Describe ai-chats": (("schema.describe", {"collection": "ai-chats"}),),
    "describe the collection tasks": (("schema.describe", {"collection": "tasks"}),),
    'call records.query with {"collection": "notes"}': listed("notes"),
    "use invalid input": (("schema.describe", {"name": 5}),),
    "never stop calling tools": (("schema.list", {}),),
    "add three tasks": added("tasks", "New task 1", "New task 2", "New task 3"),
    "Add a note: call Bob": added("notes", "call Bob"),
    "add two tasks: read, write": added("tasks", "read", "write"),
    "create 2 notes: “a” and b": added("notes", "a", "b"),
    "list my tasks": listed("tasks"),
    "show the notes": listed("notes"),
    "what is in my cities?": listed("cities"),
    "add a city: Oslo": (("schema.describe", {"collection": "cities"}),),
    "add a box: x": (("schema.describe", {"collection": "boxes"}),),
    "add a toy: x": (("schema.describe", {"collection": "toys"}),),
    "mark read as done": looked_up("tasks", "read"),
    "tick the task “write a book” off as done": looked_up("tasks", "write a book"),
    "delete the note call Bob": looked_up("notes", "call Bob"),
    "remove my task: read!": looked_up("tasks", "read"),
    "hello": (),
}


@pytest.mark.parametrize("text", FIRST)
def test_a_command_in_words_calls_its_tools(text):
    assert calls(text) == FIRST[text]
    assert (said(text) == HELP) is (text == "hello")


def records(*titles):
    rows = [{"recordId": f"r{n}", "data": {"title": one}} for n, one in enumerate(titles)]
    return "records.query", json.dumps({"records": rows})


def test_what_was_looked_up_is_changed_or_deleted():
    done = {"data": {"done": True}}
    assert calls("mark read as done", records("read", "read more")) == tuple(
        ("records.update", {"collection": "tasks", "recordId": one, **done}) for one in ("r0", "r1")
    )
    deleted = {"collection": "notes", "recordId": "r0"}
    assert calls("delete the note x", records("x")) == (("records.delete", deleted),)
    many = records(*"abcdefghijklm")
    assert len(calls("delete the note x", many)) == 10


@pytest.mark.parametrize(
    ("text", "results", "told"),
    [
        ("list my tasks", [records("a", "b")], "I found 2: “a”, “b”."),
        ("list my tasks", [records()], "I found none."),
        ("mark read as done", [records()], "I found none."),
        ("delete the note", [records("a")], "I found 1: “a”."),  # which one is not said
        ("mark a as done", [("records.query", "no right")], "records.query said: no right"),
        ("mark a as done", [("records.query", "{}")], "records.query said: {}"),
        ("add a city: Oslo", [("schema.describe", "[]")], "schema.describe said: []"),
        ("delete the note x", [records("x"), ("records.delete", "{}")], "It is deleted."),
        ("who am I", [("user.current", '{"recordId": "alice"}')], "You are alice."),
        ("call some.tool with {}", [("some.tool", "{}")], "some.tool said: {}"),
    ],
)
def test_the_last_results_are_told(text, results, told):
    answer = reply(AssistantInput(text, results=tuple(results), tools=TOOLS))
    assert (answer.calls, told in answer.text) == ((), True), answer


def test_a_step_without_tools_ends_in_words():
    last = AssistantInput("never stop calling", tools=TOOLS, may_call=False)
    assert reply(last) == AssistantReply("I have called enough tools for one answer.")
    assert said("call other.tool with {}").endswith("not available: other.tool.")


def test_what_was_remembered_stands_in_a_summary():
    text = "Summarize this conversation: remember that a is b. remember that a is b. Hello."
    assert said(text).count("remember that a is b.") == 1
    assert said("count to 3") == "1 2 3"
    assert said("please repeat after me: one\ntwo") == "one\ntwo"
    assert said("remember that X is Y") == "I will remember that X is Y."
