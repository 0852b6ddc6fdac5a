"""The rules refuse what hosts refuse: each of these bodies is wrong in one way."""

import json

import pytest

from tests.chat.wire_rules import complaints
from tests.providers.prompts import body

A_CALL = {"type": "tool_use", "id": "c", "name": "x", "input": {}}
A_RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "1", "is_error": False}
A_TEXT = {"type": "text", "text": "hi"}


def ask(*blocks):
    return {"role": "user", "content": list(blocks or [A_TEXT])}


def say(*blocks):
    return {"role": "assistant", "content": list(blocks)}


A_WRONG = {
    "assistant first": [say(A_TEXT), ask()],
    "two users": [ask(), ask()],
    "ends with the assistant": [ask(), say(A_TEXT)],
    "no content": [ask(), say(), ask()],
    "blank text": [ask({"type": "text", "text": " \n"})],
    "no result": [ask(), say(A_CALL), ask()],
    "a result too many": [ask(A_RESULT)],
    "text before the result": [ask(), say(A_CALL), ask(A_TEXT, A_RESULT)],
    "two results": [ask(), say(A_CALL), ask(A_RESULT, A_RESULT)],
    "one id twice": [ask(), say(A_CALL), ask(A_RESULT), say(A_CALL), ask(A_RESULT)],
    "an odd id": [ask(), say(A_CALL | {"id": "a b"}), ask(A_RESULT | {"tool_use_id": "a b"})],
    "no id": [ask(), say(A_CALL | {"id": ""}), ask(A_RESULT | {"tool_use_id": ""})],
    "an input that is no object": [ask(), say(A_CALL | {"input": "x"}), ask(A_RESULT)],
    "a name with a dot": [ask(), say(A_CALL | {"name": "a.b"}), ask(A_RESULT)],
    "an error without words": [
        ask(),
        say(A_CALL),
        ask(A_RESULT | {"content": "", "is_error": True}),
    ],
}
SYSTEM = {"role": "system", "content": "Be brief."}
USER, SAID = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}
CALL = {"id": "c", "type": "function", "function": {"name": "x", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c", "content": "1"}


def calling(**changes):
    return {**CALLED, "tool_calls": [{**CALL, **changes}]}


BC_WRONG = {
    "no system text": [USER],
    "ends with the assistant": [SYSTEM, USER, SAID],
    "an orphan result": [SYSTEM, USER, RESULT],
    "no result": [SYSTEM, USER, CALLED, USER],
    "no last result": [SYSTEM, USER, CALLED],
    "something between": [SYSTEM, USER, CALLED, USER, RESULT],
    "two results": [SYSTEM, USER, CALLED, RESULT, RESULT],
    "one id twice": [SYSTEM, USER, CALLED, RESULT, CALLED, RESULT],
    "a long id": [SYSTEM, USER, calling(id="c" * 41), {**RESULT, "tool_call_id": "c" * 41}],
    "no content": [SYSTEM, USER, {**SAID, "content": None}, USER],
    "empty content": [SYSTEM, {**USER, "content": ""}],
    "an empty list of calls": [SYSTEM, USER, {**SAID, "tool_calls": []}, USER],
    "reasoning": [SYSTEM, USER, {**SAID, "reasoning_content": "hm"}, USER],
    "arguments that are no object": [
        SYSTEM, USER, calling(function={"name": "x", "arguments": "[1]"}), RESULT
    ],
    "arguments that are no JSON": [
        SYSTEM, USER, calling(function={"name": "x", "arguments": "{"}), RESULT
    ],
    "a name with a dot": [
        SYSTEM, USER, calling(function={"name": "a.b", "arguments": "{}"}), RESULT
    ],
}  # fmt: skip
C_WRONG = {
    "assistant first": [SYSTEM, SAID, USER],
    "blank content": [SYSTEM, {**USER, "content": " "}],
}


def found(kind, messages):
    return complaints(kind, json.dumps({**body(kind), "messages": messages}).encode())


@pytest.mark.parametrize("kind", "ABC")
def test_the_rules_accept_a_correct_conversation(kind):
    assert found(kind, body(kind)["messages"]) == []


@pytest.mark.parametrize("messages", A_WRONG.values(), ids=A_WRONG)
def test_the_rules_of_anthropic_find_each_fault(messages):
    assert found("A", messages)


@pytest.mark.parametrize("messages", BC_WRONG.values(), ids=BC_WRONG)
@pytest.mark.parametrize("kind", "BC")
def test_the_rules_of_openai_and_compatible_hosts_find_each_fault(kind, messages):
    assert found(kind, messages)


@pytest.mark.parametrize("messages", C_WRONG.values(), ids=C_WRONG)
def test_the_rules_of_compatible_hosts_find_their_own_faults(messages):
    assert found("C", messages)
    assert not found("B", messages)
