"""Five versions of the real client read the same answers, each as its users would see them."""

import pytest

from tests.clients.client_readings import Question, Reader, Reading
from tests.clients.packages import PACKAGES, manifest_of

ODD_TEXT = (
    "a family \U0001f469\u200d\U0001f469\u200d\U0001f467, a flag \U0001f1fa\U0001f1f3, e\u0301, "
    "\u6f22\u5b57\u304b\u306a, \u202e\u05e9\u05dc\u05d5\u05dd\u202c \u200f\ufdfa\u200e, "
    "lines:\u2028\u2029\x85\r\n\r\n\n\ndata: [DONE]\n\n: a comment\n\n\ufeffthe end"
)

TOO_DEEP = '{"a":' * 500 + "1" + "}" * 500

ANSWERED = {
    "text": "repeat after me: hello there",
    "odd text": f"repeat after me: {ODD_TEXT}",
    "tool": "Describe ai-chats",
    "two tools": "Which collections are there, and who am I?",
    "invalid input": "Call a tool with invalid input",
    "throwing tool": "Describe nothing-here",
    "five steps": "Never stop calling tools",
    "too deep": f"call user.current with {TOO_DEEP}",
    "forbidden key": 'call user.current with {"__proto__": 1}',
}
FAILED = {
    "error first": "Say hello /fail error-first",
    "error midway": "count to 20 /fail error-midway",
}

STEP = "step-start"
SHAPES = {
    "text": [STEP, "text"],
    "odd text": [STEP, "text"],
    "tool": [STEP, "tool-schema.describe", STEP, "text"],
    "two tools": [STEP, "tool-schema.list", "tool-user.current", STEP, "text"],
    "invalid input": [STEP, "tool-schema.describe", STEP, "text"],
    "throwing tool": [STEP, "tool-schema.describe", STEP, "text"],
    "five steps": [*[STEP, "tool-schema.list"] * 4, STEP, "text"],
    "too deep": [STEP, "tool-user.current", STEP, "text"],
    "forbidden key": [STEP, "tool-user.current", STEP, "text"],
}

# What the sandbox's upstream says of itself, and where it is.
UPSTREAM_WORDS = ("secret", "upstream-host", "sandbox", "api_error", "127.0.0.1", "Traceback")


Readings = dict[str, Reading]


@pytest.fixture(scope="module", params=PACKAGES)
def readings(request, running) -> Readings:
    """The answers to all questions, by their names, as one version read them."""
    asked = [Question(name, content) for name, content in (ANSWERED | FAILED).items()]
    return Reader(running, request.param).read(asked)


@pytest.fixture
def answered(readings) -> Readings:
    return {name: readings[name] for name in ANSWERED}


@pytest.fixture
def failed(readings) -> Readings:
    return {name: readings[name] for name in FAILED}


def test_the_client_takes_every_chunk_as_it_was_sent(readings):
    sent = {name: read.sent for name, read in readings.items()}
    assert {name: read.chunks for name, read in readings.items()} == sent


def test_no_chunk_breaks_the_schema_of_the_version(readings):
    assert {name: read.invalid for name, read in readings.items() if read.invalid} == {}


def test_a_stream_ends_once_and_with_its_ending(readings):
    last = {name: read.types[-1:] for name, read in readings.items()}
    assert {name: read.endings for name, read in readings.items()} == last


def test_no_part_stays_open(readings):
    assert {name: read.open_parts for name, read in readings.items() if read.open_parts} == {}


def test_the_parts_are_those_of_the_question(answered):
    parts = {name: [part["type"] for part in read.parts] for name, read in answered.items()}
    assert parts == SHAPES


def test_an_answer_ends_in_finish_and_is_no_error(answered):
    ended = {name: (read.endings, read.errors) for name, read in answered.items()}
    assert ended == dict.fromkeys(answered, (["finish"], []))


def test_the_message_the_header_and_the_row_have_one_id(answered):
    for name, read in answered.items():
        assert read.header, name
        assert read.message["id"] == read.header == read.stored["recordId"], name
        assert read.message["role"] == "assistant", name


def test_the_text_is_what_is_stored_as_content(answered):
    for name, read in answered.items():
        assert read.text == read.stored["data"]["content"] != "", name


def test_the_assembled_parts_are_those_stored_in_the_row(answered):
    for name, read in answered.items():
        stored = [_as_seen_by(read.package, part) for part in read.stored["data"]["parts"]]
        assert read.parts == stored, name


def test_the_metadata_says_how_the_turn_went(readings):
    metadata = readings["five steps"].message["metadata"]
    assert (metadata["finishReason"], metadata["steps"]) == ("stop", 5)
    assert metadata["modelId"] == "llm-sonnet-4-6"
    assert metadata["usage"]["inputTokens"] > 0
    assert metadata["usage"]["outputTokens"] > 0


def test_a_finished_answer_is_not_sent_back_by_the_client_itself(answered):
    resubmitted = {name: read.resubmits for name, read in answered.items()}
    assert resubmitted == dict.fromkeys(answered, False)


def test_odd_text_arrives_as_it_was_said(readings):
    assert readings["odd text"].text == ODD_TEXT


def test_a_tool_gives_its_output(readings):
    [call] = _calls(readings["tool"])
    assert (call["state"], call["input"]) == ("output-available", {"collection": "ai-chats"})
    assert call["output"]["name"] == "ai-chats"


def test_two_tools_of_one_step_have_ids_and_outputs_of_their_own(readings):
    listed, current = _calls(readings["two tools"])
    assert listed["toolCallId"] != current["toolCallId"]
    assert "ai-messages" in listed["output"]["collections"]
    assert current["output"]["recordId"].startswith("reader-of-")


def test_input_that_fails_its_schema_is_shown_beside_the_reason(readings):
    [call] = _calls(readings["invalid input"])
    key = _as_seen_by(readings["invalid input"].package, {"rawInput": {"name": 5}})
    assert call.items() >= {"state": "output-error", **key}.items()
    assert "schema" in call["errorText"]
    assert "tool-input-error" in readings["invalid input"].types


def test_a_throwing_tool_fails_alone_and_the_answer_goes_on(readings):
    [call] = _calls(readings["throwing tool"])
    assert (call["state"], call["input"]) == ("output-error", {"collection": "nothing-here"})
    assert "output" not in call
    assert "tool-output-error" in readings["throwing tool"].types


def test_the_client_reports_the_error_that_was_sent(failed):
    for name, read in failed.items():
        assert read.endings == ["error"], name
        assert read.errors == [read.sent[-1]["errorText"]], name


def test_a_failed_stream_says_nothing_of_its_upstream(failed):
    for name, read in failed.items():
        said = " ".join(read.wire).lower()
        assert [word for word in UPSTREAM_WORDS if word.lower() in said] == [], name


def test_a_failed_turn_leaves_no_row(failed):
    assert {name: read.rows for name, read in failed.items()} == dict.fromkeys(failed, [])


def test_what_was_said_before_an_error_stays_on_the_screen(readings):
    assert readings["error first"].text == ""
    assert readings["error midway"].text == "1 2 3"


def test_the_versions_that_read_are_those_that_are_pinned(packages):
    installed = {name: manifest_of(name)["version"] for name in PACKAGES}
    assert {name: f"npm:ai@{version}" for name, version in installed.items()} == PACKAGES


def _calls(reading: Reading) -> list[dict]:
    return [part for part in reading.parts if part["type"].startswith("tool-")]


def _as_seen_by(package: str, part: dict) -> dict:
    """A stored part as a version shows it: from 7 on, refused input stands under `input`."""
    if package == "ai-7" and "rawInput" in part:
        return {"input" if key == "rawInput" else key: value for key, value in part.items()}
    return part
