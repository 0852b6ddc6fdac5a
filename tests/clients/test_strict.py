"""The strict schema over every wire of the providers, and every way in which they can fail."""

import pytest

from service.sandbox import faults
from tests.clients.packages import STRICT
from tests.clients.reading import Question, Reader, Reading

MODELS = ("llm-sonnet-4-6", "gen-5.4", "oss-120b")  # one of each provider
CONTENTS = {
    "text": "count to 5",
    "tools": "Which collections are there? Who am I? Describe ai-messages.",
}
SOUND = "nothing"
FAULTS = [SOUND, *(name for name in faults.NAMES if name != "silent")]  # that takes ten minutes
FATAL = (*faults.REFUSALS, *faults.BREAKS)

# What the sandbox's hosts say when they refuse or break off, and how its models think.
WITHHELD = ("secret", "upstream-host", "canary", "doctype", "stack trace", "let ", "think")

Readings = dict[str, Reading]


@pytest.fixture(scope="module")
def readings(running) -> Readings:
    asked = [
        Question(f"{fault}: {model}, {kind}", f"{content} /fail {fault}", model)
        for fault in FAULTS
        for model in MODELS
        for kind, content in CONTENTS.items()
    ]
    return Reader(running, STRICT).read(asked)


@pytest.fixture(params=FAULTS)
def fault(request) -> str:
    return request.param


@pytest.fixture
def found(readings, fault) -> Readings:
    """The readings of one fault: every wire, text and tools."""
    return {name: read for name, read in readings.items() if name.startswith(f"{fault}: ")}


def test_no_chunk_breaks_the_strict_schema(found):
    assert {name: read.invalid for name, read in found.items()} == dict.fromkeys(found, [])


def test_the_client_takes_every_chunk_as_it_was_sent(found):
    sent = {name: read.sent for name, read in found.items()}
    assert {name: read.chunks for name, read in found.items()} == sent


def test_a_stream_ends_once_and_as_its_fault_asks(found, fault):
    ending = "error" if fault in FATAL else "finish"
    assert {name: read.endings for name, read in found.items()} == dict.fromkeys(found, [ending])
    assert {read.types[-1] for read in found.values()} == {ending}


def test_the_client_reports_the_error_that_was_sent_and_no_other(found):
    sent = {
        name: [chunk["errorText"] for chunk in read.sent if chunk["type"] == "error"]
        for name, read in found.items()
    }
    assert {name: read.errors for name, read in found.items()} == sent


def test_no_part_stays_open(found):
    assert {name: read.open_parts for name, read in found.items()} == dict.fromkeys(found, [])


def test_neither_reasoning_nor_what_an_upstream_said_is_sent(found):
    said = {name: " ".join(read.wire).lower() for name, read in found.items()}
    leaked = {name: [word for word in WITHHELD if word in said[name]] for name in found}
    assert leaked == dict.fromkeys(found, [])
    assert {name: read.reasoning for name, read in found.items()} == dict.fromkeys(found, [])


def test_a_failed_turn_leaves_no_row(found, fault):
    left = {name: bool(read.rows) for name, read in found.items()}
    assert left == dict.fromkeys(found, fault not in FATAL)


@pytest.mark.parametrize("fault", [name for name in FAULTS if name not in FATAL], indirect=True)
def test_what_the_client_assembles_is_what_is_stored(found):
    assembled = {name: {"content": read.text, "parts": read.parts} for name, read in found.items()}
    stored = {name: read.stored["data"] for name, read in found.items()}
    assert assembled == {
        name: {key: row[key] for key in ("content", "parts")} for name, row in stored.items()
    }


def test_the_sound_answers_have_called_their_tools_and_said_their_text(readings):
    for model in MODELS:
        assert readings[f"{SOUND}: {model}, text"].text == "1 2 3 4 5"
        types = readings[f"{SOUND}: {model}, tools"].types
        assert types.count("tool-output-available") == 3
