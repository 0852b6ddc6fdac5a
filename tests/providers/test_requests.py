"""What is sent to each provider: path, headers and body."""

import json
from dataclasses import replace

import pytest

from service.providers.prompt import AssistantMessage, ToolCall, ToolResults, UserMessage
from tests.providers.expected_bodies import A_MESSAGES, A_TOOLS, B_MESSAGES, B_TOOLS
from tests.providers.prompts import ANSWERED, ASKED, CALLED, CLOCK, body, prompt, request

SAID = AssistantMessage("It is cold.")
SILENT_CALL = AssistantMessage("", CALLED.calls)
MARK = {"cache_control": {"type": "ephemeral"}}
TIMED = UserMessage(ASKED.text, "[It is late.]")
MARKED = b',"cache_control":{"type":"ephemeral"}'
BLANK = ("", "\n", " \t\n ")


def roles(sent: dict) -> list[str]:
    return [message["role"] for message in sent["messages"]]


def test_a_gets_its_own_path_and_headers():
    made = request("A", prompt())
    assert made.path == "/v1/messages"
    assert made.headers == {
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-api-key": "key-of-a",
    }


@pytest.mark.parametrize("kind", ["B", "C"])
def test_b_and_c_get_their_path_and_headers(kind):
    made = request(kind, prompt())
    assert made.path == "/chat/completions"
    assert made.headers == {
        "content-type": "application/json",
        "authorization": f"Bearer key-of-{kind.lower()}",
    }


def test_a_local_host_without_a_key_gets_no_authorization():
    settings = {"PROVIDER_C_API_KEY": "", "PROVIDER_C_BASE_URL": "http://127.0.0.1:11434/v1"}
    assert request("C", prompt(), **settings).headers == {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("kind", "where"), [("A", ["input_schema"]), ("B", ["function", "parameters"])]
)
def test_tools_that_differ_in_their_schemas_alone_are_each_declared(kind, where):
    for most in (1, 2):
        schema = {"type": "object", "properties": {}, "maxProperties": most}
        sent = body(kind, ASKED, tools=(replace(CLOCK, schema=schema),))["tools"][0]
        for key in where:
            sent = sent[key]
        assert sent == schema


def test_a_whole_body_for_a():
    assert body("A", max_output_tokens=500) == {
        "model": "claude-sonnet-4-6",
        "max_tokens": 500,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", **MARK}],
        "messages": A_MESSAGES,
        "tools": A_TOOLS,
        "tool_choice": {"type": "auto"},
    }


def test_a_whole_body_for_b():
    assert body("B", max_output_tokens=500) == {
        "model": "gpt-5.4",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 500,
        "messages": B_MESSAGES,
        "tools": B_TOOLS,
        "tool_choice": "auto",
        "reasoning_effort": "none",
    }


def test_c_gets_what_b_gets_but_for_model_cap_and_effort():
    b, c = body("B", max_output_tokens=500), body("C", max_output_tokens=500)
    assert (b.pop("model"), c.pop("model")) == ("gpt-5.4", "openai/gpt-oss-120b")
    assert (b.pop("max_completion_tokens"), c.pop("max_tokens")) == (500, 500)
    assert b.pop("reasoning_effort") == "none"
    assert b == c


@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_without_tools_nothing_is_said_of_them(kind):
    sent = body(kind, ASKED, tools=())
    assert not {"tools", "tool_choice", "reasoning_effort"} & set(sent)


@pytest.mark.parametrize(("kind", "none"), [("A", {"type": "none"}), ("B", "none"), ("C", "none")])
def test_the_last_step_declares_the_tools_but_forbids_calls(kind, none):
    allowed, forbidden = body(kind), body(kind, calls_allowed=False)
    assert forbidden.pop("tool_choice") == none
    assert allowed.pop("tool_choice") != none
    assert forbidden == allowed


def marks(sent: dict) -> list[list[bool]]:
    return [[MARK.items() <= block.items() for block in m["content"]] for m in sent["messages"]]


def test_a_is_told_where_its_cache_ends():
    sent = body("A", ASKED, CALLED, ANSWERED, ASKED, SAID, ASKED)
    assert marks(sent) == [[False], [False] * 3, [False, False, True], [False], [True]]
    assert json.dumps(sent).count("cache_control") == 3  # four at most


def test_what_only_this_turn_tells_is_behind_the_marks_of_its_first_request():
    """The one before is at the last turn's question: its results are behind an aside of its own."""
    sent = body("A", ASKED, CALLED, ANSWERED, SAID, TIMED)
    assert marks(sent) == [[True], [False] * 3, [False] * 2, [False], [True, False]]
    assert marks(body("A", TIMED)) == [[True, False]]
    assert marks(body("A", ASKED, SAID, UserMessage("[A note.]"), TIMED))[0] == [True]


def test_the_later_requests_of_a_turn_keep_the_mark_of_its_question():
    second = body("A", SAID, TIMED, CALLED, ANSWERED)
    assert marks(second)[1:] == [[True, False], [False] * 3, [False, True]]
    third = body("A", TIMED, CALLED, ANSWERED, CALLED, ANSWERED)
    calls = [False] * 3
    assert marks(third) == [[True, False], calls, [False, True], calls, [False, True]]
    assert json.dumps(third).count("cache_control") == 4


@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_an_aside_changes_nothing_in_front_of_it(kind):
    plain, timed = (request(kind, prompt(SAID, message)).body for message in (ASKED, TIMED))
    plain, timed = (made.replace(MARKED, b"") for made in (plain, timed))
    text = json.dumps(ASKED.text, ensure_ascii=False).strip('"').encode()
    [start] = {plain.index(text), timed.index(text)}
    assert plain[: start + len(text)] == timed[: start + len(text)]
    assert TIMED.aside.encode() in timed[start + len(text) :]
    assert TIMED.aside.encode() not in timed[: start + len(text)]


@pytest.mark.parametrize("kind", ["B", "C"])
def test_an_aside_makes_no_second_message(kind):
    assert body(kind, TIMED)["messages"][1:] == [
        {"role": "user", "content": f"{ASKED.text}\n\n[It is late.]"}
    ]


def test_what_is_asked_only_once_is_not_kept():
    assert "cache_control" not in json.dumps(body("A", cacheable=False))


@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_only_those_who_want_it_are_told_who_asks(kind):
    told = {"A": {"metadata": {"user_id": "u-1"}}, "B": {"safety_identifier": "u-1"}, "C": {}}
    assert body(kind, user="u-1") == body(kind) | told[kind]


def test_a_has_alternating_roles_with_tool_results_first():
    sent = body("A", ASKED, ASKED, CALLED, ANSWERED, ASKED, SAID, SAID, ASKED)
    assert roles(sent) == ["user", "assistant", "user", "assistant", "user"]
    blocks = [[block["type"] for block in message["content"]] for message in sent["messages"]]
    assert blocks[0] == ["text", "text"]
    assert blocks[2] == ["tool_result", "tool_result", "text"]
    assert blocks[3:] == [["text", "text"], ["text"]]


@pytest.mark.parametrize("text", BLANK)
def test_a_gets_no_blank_text_of_an_assistant(text):
    sent = body("A", ASKED, AssistantMessage(text, CALLED.calls), ANSWERED)
    types = [block["type"] for block in sent["messages"][1]["content"]]
    assert types == ["tool_use", "tool_use"]


@pytest.mark.parametrize("text", BLANK)
def test_a_gets_no_message_of_an_assistant_who_said_nothing(text):
    sent = body("A", ASKED, AssistantMessage(text), UserMessage("And now?"))
    assert roles(sent) == ["user"]
    assert [block["text"] for block in sent["messages"][0]["content"]] == [ASKED.text, "And now?"]


@pytest.mark.parametrize("kind", ["B", "C"])
def test_content_is_null_only_beside_calls(kind):
    sent = body(kind, ASKED, SILENT_CALL, ANSWERED, AssistantMessage(""), SAID)
    contents = [m["content"] for m in sent["messages"] if m["role"] == "assistant"]
    assert contents == [None, "", "It is cold."]
    assert [bool(m.get("tool_calls")) for m in sent["messages"] if m["role"] == "assistant"] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("kind", ["B", "C"])
def test_every_call_gets_its_own_tool_message(kind):
    sent = body(kind, ASKED, CALLED, ANSWERED, ASKED)
    assert roles(sent) == ["system", "user", "assistant", "tool", "tool", "user"]
    ids = [call["id"] for call in sent["messages"][2]["tool_calls"]]
    assert [m["tool_call_id"] for m in sent["messages"] if m["role"] == "tool"] == ids


@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_names_in_the_history_are_mapped_even_without_their_tools(kind):
    old = ToolCall("call-9", "retired.tool/v2", {"a": 1})
    made = request(kind, prompt(ASKED, AssistantMessage("", (old,)), ToolResults(()), tools=()))
    assert b'"retired__tool_v2"' in made.body
    assert b"retired.tool" not in made.body
    assert made.names.from_wire("retired__tool_v2") == "retired.tool/v2"


@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_a_body_is_compact_utf_8_and_always_the_same(kind):
    made = request(kind, prompt())
    assert "Tromsø".encode() in made.body
    assert made.body == request(kind, prompt()).body
    assert json.dumps(
        json.loads(made.body), ensure_ascii=False, separators=(",", ":")
    ).encode() == (made.body)
