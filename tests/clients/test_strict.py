"""The strict schema over every wire of the providers, and every way in which they can fail."""

import pytest

from service.sandbox import faults
from tests.clients.client_readings import Question, Reader, Reading
from tests.clients.packages import STRICT

pytestmark = pytest.mark.timeout(600)  # on a slow machine, the questions take two minutes

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
        for number, fault in enumerate(FAULTS)
        for model in MODELS
        for kind, content in CONTENTS.items()
        # What a wire makes of a call that is cut off is a matter of tests/providers.
        if kind == "text" or fault == SOUND or model == MODELS[number % len(MODELS)]
    ]
    return Reader(running, STRICT).read(asked)


def is_fatal(name: str) -> bool:
    """Whether the question of this name has a fault that ends its turn."""
    return name.partition(": ")[0] in FATAL


def test_no_chunk_breaks_the_strict_schema(readings):
    assert {name: read.invalid for name, read in readings.items() if read.invalid} == {}


def test_the_client_takes_every_chunk_as_it_was_sent(readings):
    sent = {name: read.sent for name, read in readings.items()}
    assert {name: read.chunks for name, read in readings.items()} == sent


def test_a_stream_ends_once_and_as_its_fault_asks(readings):
    for name, read in readings.items():
        ending = ["error" if is_fatal(name) else "finish"]
        assert read.endings == read.types[-1:] == ending, name


def test_the_client_reports_the_error_that_was_sent_and_no_other(readings):
    sent = {
        name: [chunk["errorText"] for chunk in read.sent if chunk["type"] == "error"]
        for name, read in readings.items()
    }
    assert {name: read.errors for name, read in readings.items()} == sent


def test_no_part_stays_open(readings):
    assert {name: read.open_parts for name, read in readings.items() if read.open_parts} == {}


def test_neither_reasoning_nor_what_an_upstream_said_is_sent(readings):
    for name, read in readings.items():
        said = " ".join(read.wire).lower()
        assert [word for word in WITHHELD if word in said] == [], name
        assert read.reasoning == [], name


def test_a_failed_turn_leaves_no_row(readings):
    left = {name: bool(read.rows) for name, read in readings.items()}
    assert left == {name: not is_fatal(name) for name in readings}


def test_what_the_client_assembles_is_what_is_stored(readings):
    for name, read in readings.items():
        if not is_fatal(name):
            stored = read.stored["data"]
            assert (read.text, read.parts) == (stored["content"], stored["parts"]), name


def test_the_sound_answers_have_called_their_tools_and_said_their_text(readings):
    for model in MODELS:
        assert readings[f"{SOUND}: {model}, text"].text == "1 2 3 4 5"
        types = readings[f"{SOUND}: {model}, tools"].types
        assert types.count("tool-output-available") == 3
