"""Five versions of the client read a reply whose calls wait for their user, and one that they
resume after their connection was lost."""

import json
import re
import subprocess

import pytest

from config import ROOT
from tests.clients.client_readings import Question, Reader, Reading
from tests.clients.packages import PACKAGES
from tests.npm import MODULES
from tests.services import Service

PAGE = (ROOT / "docs/api.md").read_text().split("### Messages in TypeScript")[1]

# One call misses a grant, one costs credits, one is made at once.
BOTH = (
    "mail my first contact the weather in Berlin. call integrations.call with "
    '{"endpoint": "search-images", "body": {"query": "red kites"}}'
)


@pytest.fixture(scope="module")
def running(packages, databases):
    """Nobody decides, so that each question ends after five seconds: a busy machine makes the
    third call meanwhile."""
    values = {"STARTING_CREDITS": 1_000_000, "APPROVAL_SECONDS": 5, "RESUME_SECONDS": 60}
    with Service(databases.make("sqlite"), **values) as service:
        yield service.start()


@pytest.fixture(scope="module", params=PACKAGES)
def readings(request, running) -> dict[str, Reading]:
    asked = [Question("both", BOTH), Question("resumed", "count to 300", cut=True)]
    return Reader(running, request.param).read(asked)


@pytest.fixture
def reading(readings) -> Reading:
    return readings["both"]


@pytest.fixture
def resumed(readings) -> Reading:
    return readings["resumed"]


def test_no_chunk_of_a_resumed_reply_breaks_the_schema(resumed):
    assert (resumed.invalid, resumed.errors) == ([], [])
    assert resumed.endings == ["finish"]
    assert resumed.chunks == resumed.sent


def test_a_resumed_reply_is_whole(resumed):
    assert resumed.parts == resumed.stored["data"]["parts"]
    assert resumed.message["id"] == resumed.stored["recordId"]
    assert resumed.message["metadata"]["userMessage"]["content"] == "count to 300"


def test_no_chunk_breaks_the_schema_of_the_version(reading):
    assert {"data-approval", "data-consent"} <= set(reading.types)
    assert reading.invalid == []
    assert reading.errors == []
    assert reading.chunks == reading.sent


def test_the_last_state_replaces_the_question(reading):
    asked = [chunk for chunk in reading.sent if chunk["type"].startswith("data-")]
    assert [chunk["data"]["state"] for chunk in asked].count("asked") == 2
    shown = [part for part in reading.parts if part["type"].startswith("data-")]
    assert {part["type"] for part in shown} == {"data-approval", "data-consent"}
    assert [part["data"]["state"] for part in shown] == ["expired", "expired"]


def test_a_result_comes_before_those_that_wait_for_the_user(reading):
    """The calls of a step are told in order, and their results as they come."""
    told = [chunk for chunk in reading.sent if "toolCallId" in chunk]
    inputs = [chunk["toolCallId"] for chunk in told if chunk["type"] == "tool-input-available"]
    results = [chunk["toolCallId"] for chunk in told if chunk["type"].startswith("tool-output")]
    assert sorted(results, key=inputs.index) == inputs != results


def test_the_assembled_parts_are_those_stored_in_the_row(reading):
    assert reading.parts == reading.stored["data"]["parts"]
    assert reading.open_parts == []


def test_the_documented_type_has_every_field_of_the_message(reading, tmp_path):
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/ai").symlink_to(MODULES / reading.package)
    documented = re.search(r"```ts\n(.*?)```", PAGE, re.S)[1]
    read = f"\nexport const read: Message = {json.dumps(reading.message)}\n"
    (tmp_path / "message.ts").write_text(documented + read)
    command = ["node", MODULES / "typescript/bin/tsc", "--noEmit", "--strict"]
    options = ["--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"]
    done = subprocess.run(
        [*command, *options, "--pretty", "false", "message.ts"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
