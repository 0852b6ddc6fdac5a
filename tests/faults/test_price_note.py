"""A client of MCP makes a paid call, and the database is lost as soon as the call is charged."""

import json

import gevent
import pytest

from service.integrations.declare.example import File
from tests.faults.client import client_of
from tests.faults.database_proxy import DatabaseProxy
from tests.integrations.scripted_vendor import ScriptedVendor
from tests.services import wait_for

SEARCH = {"endpoint": "neuralsearch-search", "body": {"query": "kites"}}
CALL = {"name": "integrations_call", "arguments": SEARCH}
MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
NOTE = b"accounts.balance, accounts.held"  # in the statement that the note needs


@pytest.fixture
def vendor():
    scripted = ScriptedVendor()
    scripted.says(json.loads(File("exa/search.json").content()))
    yield scripted
    scripted.stop()


@pytest.fixture
def proxied(databases, start, vendor):
    url = databases.make("postgresql")
    proxy = DatabaseProxy(databases.cluster.directory)
    proxied_url = url.replace(databases.cluster.directory, proxy.directory)
    service = start(url=proxied_url, EXA_BASE_URL=vendor.url, EXA_API_KEY="key")
    yield service, proxy
    service.remove()
    proxy.stop()


def test_the_result_of_a_paid_call_is_not_lost_with_the_note_of_its_price(proxied, vendor):
    """A client that got an error instead would call again, and pay again."""
    service, proxy = proxied
    client = client_of(service)
    client.json("GET", "/api/credits")
    proxy.hang_at = NOTE
    head = "Accept: application/json, text/event-stream\r\n"
    asking = client.send("POST", "/mcp", MESSAGE, head)
    wait_for(lambda: proxy.mode == "hang")
    back = gevent.spawn_later(16, lambda: (setattr(proxy, "hang_at", b""), proxy.set("pass")))
    asking.read_whole()
    assert asking.status == 200
    text = asking.body.decode().strip().split("\n")[-1].removeprefix("data: ")
    result = json.loads(text)["result"]
    assert (result["isError"], len(result["content"])) == (False, 1)
    back.get()
    wait_for(lambda: client.send("GET", "/readyz").status == 200, 20)
    charges = [one for one in client.credits()["entries"] if one["kind"] == "charge"]
    assert (len(charges), len(vendor.seen)) == (1, 1)
