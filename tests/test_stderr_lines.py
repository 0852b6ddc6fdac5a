"""A worker writes JSON lines with types and places and without values."""

import json
import re

import pytest
import requests

from tests.services import wait_for
from tests.tool_caller import ToolCaller

CASES = {
    "pool": ("Exception during reset or similar", "sqlite3.ProgrammingError"),
    "log": ("a constant with %s", None),
    "warning": ("warned", "builtins.UserWarning"),
    "greenlet": ("greenlet failed", "builtins.ValueError"),
    "unraisable": ("unraisable", "builtins.ValueError"),
}


@pytest.fixture
def configure() -> dict:
    return {"EXTENSIONS": "tests.extension,colorsys", "PROVIDER_A_TIMEOUT": "3"}


def test_every_line_is_json_without_values(service):
    tool_caller = ToolCaller(service)
    before = len(tool_caller.output())
    for number, (how, (event, kind)) in enumerate(CASES.items()):
        tool_caller.call("test.stray", f"m-{number}", how=how)
        wait_for(lambda event=event: tool_caller.lines(event), 10)
        line = tool_caller.lines(event)[0]
        names = [*line.get("exception", []), line.get("category")]
        assert kind in names or kind is None, line
        assert line["worker"] == service.worker
    written = tool_caller.output()[before:]
    assert written
    for text in written:
        assert json.loads(text), text
        assert "canary" not in text
        assert not re.search("SELECT|Traceback", text)


def test_a_message_that_is_not_a_constant_is_not_logged(service):
    tool_caller = ToolCaller(service)
    tool_caller.call("test.stray", "m-1", how="log")
    wait_for(lambda: tool_caller.lines("a constant with %s"), 10)
    line = tool_caller.lines("logged")[0]
    assert (line["logger"], line["level"]) == ("library", "error")
    assert re.search(r"tests/extension\.py:\d+ write_astray$", line["place"])


def test_lines_name_the_request_and_its_user(service):
    tool_caller = ToolCaller(service)
    tool_caller.call("test.stray", "m-1", how="greenlet")
    wait_for(lambda: [line for line in tool_caller.lines("answered") if "model" in line], 10)
    for event in ("greenlet failed", "called", "answered"):
        line = [line for line in tool_caller.lines(event) if "chat" in line][-1]
        assert (line["user"], line["chat"]) == ("alice", tool_caller.chat)
        assert (line["model"], line["worker"]) == ("gen-5.4", service.worker)
        assert line["request_id"]


def test_a_request_has_no_facts_of_the_one_before_on_its_connection(service):
    tool_caller = ToolCaller(service)
    wait_for(lambda: tool_caller.lines("answered"), 10)
    before = len(tool_caller.lines("answered"))
    with requests.Session() as session:
        session.get(f"{service.url}/api/ai/models", headers=tool_caller.headers, timeout=10)
        session.get(f"{service.url}/healthz", timeout=10)

    def lines() -> dict:
        return {line["route"]: line for line in tool_caller.lines("answered")[before:]}

    wait_for(lambda: {"/api/ai/models", "/healthz"} <= lines().keys(), 10)
    models, health = lines()["/api/ai/models"], lines()["/healthz"]
    assert (models["route"], models["user"]) == ("/api/ai/models", "alice")
    assert (health["route"], health.get("user")) == ("/healthz", None)


def test_a_worker_logs_unknown_settings(service):
    named = [line["setting"] for line in ToolCaller(service).lines("unknown setting")]
    assert named == ["PROVIDER_A_TIMEOUT"]


def test_a_worker_logs_modules_that_declare_nothing(service):
    lines = ToolCaller(service).lines("extension declares nothing")
    assert [line["module"] for line in lines] == ["colorsys"]
