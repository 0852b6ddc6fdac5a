"""Official clients of TypeScript and Python use the tools, through two workers."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from service.auth.tokens import issue
from tests.mcp.clients.conftest import HERE
from tests.services import settings_for

NOTE = {"collection": "notes", "data": {"title": "of a client", "text": "line\u2028 end"}}
CALLS = [
    ["user_current", {}],
    ["records_create", NOTE],
    ["records_query", {"collection": "notes"}],
    ["records_get", {"collection": "notes"}],
    ["integrations_call", {"endpoint": "current-weather", "body": {"city": "Berlin"}}],
    ["integrations_call", {"endpoint": "cloudsuite/contacts-list"}],
    *[["schema_list", {}] for _ in range(6)],
]
CLIENTS = {
    "sdk": ("2025-11-25", "sdk", "legacy"),
    "client-legacy": ("2025-11-25", "client", "legacy"),
    "client-auto": ("2026-07-28", "client", "auto"),
    "python-legacy": ("2025-11-25", "python", "legacy"),
    "python-auto": ("2026-07-28", "python", "auto"),
}


@pytest.fixture(scope="module", params=CLIENTS)
def name(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def told(running, npm_packages, name, request) -> dict[str, Any]:
    """What a client, with a user of its own, has made of the answers to all calls."""
    _, which, mode = CLIENTS[name]
    token = issue(settings_for(running.database_url), name, "user", 3600)
    given = {"client": which, "mode": mode, "url": f"{running.url}/mcp", "token": token}
    command, environment = ["node", "call.mjs"], os.environ
    if which == "python":
        packages = request.getfixturevalue("python_packages")
        command, environment = [sys.executable, "call.py"], {"PYTHONPATH": str(packages)}
    done = subprocess.run(
        command, cwd=HERE, input=json.dumps({**given, "calls": CALLS}), text=True, timeout=120,
        capture_output=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_client_finds_and_calls_the_tools(told, name):
    assert told["errors"] == []
    assert told["version"] == CLIENTS[name][0]
    assert {"records_query", "user_current"} <= {tool["name"] for tool in told["tools"]}
    user, made, page, refused, _, _, *lists = told["results"]
    assert user["structuredContent"]["recordId"] == name
    assert page["structuredContent"]["records"] == [made["structuredContent"]]
    assert made["structuredContent"]["data"]["text"] == NOTE["data"]["text"]
    assert refused["isError"] is True
    assert "recordId" in refused["content"][0]["text"]
    assert all(one["structuredContent"] == lists[0]["structuredContent"] for one in lists)


def test_a_client_calls_endpoints_and_is_led_to_a_consent(told, name):
    """Only the one that says that it opens links is asked to; the account stays unconnected."""
    weather, contacts = told["results"][4:6]
    assert weather["structuredContent"]["place"]["name"] == "Berlin"
    assert contacts["isError"] is True
    assert "http://" in contacts["content"][0]["text"]
    is_asked = name == "client-auto"
    assert [request["mode"] for request in told["asked"]] == ["url"] * is_asked
