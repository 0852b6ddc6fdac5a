"""A worker ends while a client of MCP waits for a call."""

import json
import signal

import gevent
import pytest
import requests

from service.auth.tokens import issue
from service.chat.tools.run import UNSURE
from service.mcp.delivery import RESTARTING
from tests.integrations.scripted_vendor import Said, ScriptedVendor
from tests.mcp.era_clients import FORMS
from tests.services import Service, settings_for, wait_for

SEARCH = {"endpoint": "neuralsearch-search", "body": {"query": "kites"}}


@pytest.fixture
def vendor():
    scripted = ScriptedVendor()
    yield scripted
    scripted.stop()


@pytest.fixture
def service(databases, vendor):
    settings = {"EXA_BASE_URL": vendor.url, "EXA_API_KEY": "key", "GRACEFUL_TIMEOUT": 5}
    with Service(databases.make("sqlite"), **settings) as running:
        yield running.start()


def ask(service: Service, method: str, path: str, body=None) -> requests.Response:
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    headers = {"Authorization": f"Bearer {token}", **FORMS}
    return requests.request(method, service.url + path, json=body, headers=headers, timeout=60)


def call(service: Service, **meta) -> requests.Response:
    params = {"name": "integrations_call", "arguments": SEARCH, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return ask(service, "POST", "/mcp", message)


@pytest.mark.parametrize("meta", [{}, {"progressToken": "p"}], ids=["JSON", "events"])
def test_a_call_that_outlasts_the_grace_time_is_answered(service, vendor, meta):
    """The official clients would wait for their own time limit behind a stream that is cut."""

    def work(_asked) -> Said:
        gevent.sleep(30)
        return Said()

    vendor.says(work)
    calling = gevent.spawn(call, service, **meta)
    wait_for(lambda: vendor.seen)
    service.process.send_signal(signal.SIGTERM)
    answer = calling.get(timeout=20)
    service.process.wait(timeout=20)
    last = answer.text.strip().split("\n")[-1].removeprefix("data: ")
    result = json.loads(last)["result"]
    assert (result["isError"], result["content"][0]["text"]) == (True, f"{RESTARTING} {UNSURE}")
    service.start()
    account = ask(service, "GET", "/api/credits").json()
    assert account["held"] == 0
    assert [entry["kind"] for entry in account["entries"]] == ["grant"]
