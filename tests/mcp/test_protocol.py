"""Each row of the protocol's table, in both eras."""

import json
from itertools import product

from service.mcp.message import META, SERVED
from tests.mcp.era_clients import ABSENT, refusal
from tests.services import on_sqlite

pytestmark = on_sqlite

VERSION, METHOD, NAME = "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"
HELLO = {"capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
USER = {"name": "user_current", "arguments": {}}


AGREED = {
    "2025-11-25": "2025-11-25",
    "2025-06-18": "2025-06-18",
    "2025-03-26": "2025-03-26",
    "1999-01-01": "2025-11-25",
    "2026-07-28": "2025-11-25",
    "2024-11-05": "2025-11-25",
}


def test_initialize_agrees_on_a_revision_with_a_handshake(handshake):
    for wanted, agreed in AGREED.items():
        result = handshake.result("initialize", {"protocolVersion": wanted, **HELLO})
        assert result["protocolVersion"] == agreed
    assert result["capabilities"] == {"tools": {}}
    assert result["serverInfo"]["name"]
    assert 0 < len(result["instructions"]) <= 512, "some hosts show no more"
    assert "resultType" not in result


def test_discover_names_every_revision(modern):
    result = modern.result("server/discover")
    assert result["supportedVersions"] == [*SERVED]
    assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
    assert result["ttlMs"] > 0
    assert result["_meta"][f"{META}serverInfo"]["version"]


def test_what_one_era_has_and_the_other_has_not(handshake, modern):
    assert handshake.result("ping") == {}
    assert refusal(handshake.ask("server/discover")) == (200, -32601)
    assert refusal(handshake.ask("resources/list")) == (200, -32601)
    for method in ("initialize", "ping", "resources/list", "logging/setLevel"):
        assert refusal(modern.ask(method)) == (404, -32601)


def test_the_log_has_the_methods_of_the_protocol_and_no_text_of_a_client(handshake, capsys):
    handshake.ask("tools/list")
    handshake.ask("somebody's words " * 5000)
    logged = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    methods = [line["rpc_method"] for line in logged if line.get("route") == "/mcp"]
    assert methods == ["tools/list", "_OTHER"]


def test_errors_repeat_the_id(speaker):
    for message_id in (0, 7, "seven"):
        answered = speaker.ask("no/such", id=message_id)
        assert answered.json["id"] == message_id


def test_notifications_are_taken_without_an_answer(alice):
    for method in ("notifications/initialized", "notifications/cancelled", "made/up"):
        answered = alice.post("/mcp", {"jsonrpc": "2.0", "method": method})
        assert (answered.status_code, answered.data) == (202, b"")
    modern = {VERSION: "2026-07-28", METHOD: method}
    answered = alice.post("/mcp", {"jsonrpc": "2.0", "method": method}, headers=modern)
    assert (answered.status_code, answered.data) == (202, b"")


def test_a_posted_response_is_dropped_in_the_handshake_era_only(alice):
    sent = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert alice.post("/mcp", sent).status_code == 202
    modern = alice.post("/mcp", sent, headers={VERSION: "2026-07-28"})
    assert refusal(modern) == (400, -32600)


BROKEN = {
    "": -32700,
    "{": -32700,
    "NaN": -32700,
    "[]": -32600,
    '[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]': -32600,
    "7": -32600,
    "{}": -32600,
    '{"jsonrpc": "1.0", "id": 1, "method": "ping"}': -32600,
    '{"jsonrpc": "2.0", "id": null, "method": "ping"}': -32600,
    '{"jsonrpc": "2.0", "id": true, "method": "ping"}': -32600,
    '{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}': -32600,
    '{"jsonrpc": "2.0", "id": 1, "method": 5}': -32600,
    '{"jsonrpc": "2.0", "id": 1}': -32600,
    '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}': -32600,
}


def test_what_is_no_message_is_refused(alice):
    for version, (body, code) in product(("2025-11-25", "2026-07-28"), BROKEN.items()):
        headers = {"Content-Type": "application/json", VERSION: version}
        answered = alice.request("POST", "/mcp", data=body, headers=headers)
        assert refusal(answered) == (400, code), body


def test_an_unknown_revision_is_told_which_are_served(handshake, modern):
    known = handshake.ask("ping", headers={VERSION: "2025-06-18"})
    assert known.status_code == 200
    modern.version = "1999-01-01"
    asked = [
        handshake.ask("ping", headers={VERSION: "1999-01-01"}),
        modern.ask("tools/list"),
    ]
    for answered in asked:
        assert refusal(answered) == (400, -32022)
        data = answered.json["error"]["data"]
        assert data == {"supported": [*SERVED], "requested": "1999-01-01"}


def test_a_modern_message_says_its_version_and_capabilities(modern):
    for name in ("protocolVersion", "clientCapabilities"):
        answered = modern.ask("tools/list", meta={META + name: ABSENT})
        assert refusal(answered) == (400, -32602)
        assert META + name in answered.json["error"]["message"]
    assert modern.result("server/discover", meta={f"{META}clientInfo": ABSENT})


WRONG = [
    {VERSION: ABSENT},
    {VERSION: "2025-11-25"},
    {METHOD: ABSENT},
    {METHOD: "tools/list"},
    {METHOD: "tools/call, tools/call"},
    {METHOD: "TOOLS/CALL"},
    {NAME: ABSENT},
    {NAME: "records_query"},
    {NAME: "user_current, user_current"},
    {NAME: "=?base64?!?="},
]


def test_a_header_that_differs_from_the_body_is_refused(modern, handshake):
    for headers in WRONG:
        assert refusal(modern.ask("tools/call", USER, headers=headers)) == (400, -32020), headers
        ignored = {name: value for name, value in headers.items() if name != VERSION}
        assert handshake.ask("tools/call", USER, headers=ignored).status_code == 200


def test_a_wrong_header_counts_before_an_unknown_revision(modern):
    answered = modern.ask("tools/list", meta={f"{META}protocolVersion": "999"})
    assert refusal(answered) == (400, -32020)


def test_a_name_in_a_header_may_be_encoded(modern):
    headers = {NAME: "=?base64?dXNlcl9jdXJyZW50?="}
    assert modern.ask("tools/call", USER, headers=headers).json["result"]["isError"] is False


def test_an_unknown_tool_and_a_cursor_are_bad_parameters(handshake, modern):
    bad = {
        "tools/call": ({"name": "no_such"}, {"name": 5}, {}, {**USER, "arguments": []}),
        "tools/list": ({"cursor": "2"},),
    }
    for method, every in bad.items():
        for params in every:
            assert refusal(handshake.ask(method, params)) == (200, -32602)
            named = {NAME: ABSENT} if "name" not in params else {}
            status, code = refusal(modern.ask(method, params, headers=named))
            assert (status, code) in ((400, -32602), (400, -32020))
    assert refusal(modern.ask("tools/call", {"name": "no_such"})) == (400, -32602)


def test_session_ids_and_event_ids_are_ignored(handshake):
    headers = {"Mcp-Session-Id": "of-another-time", "Last-Event-ID": "5"}
    assert handshake.result("ping", headers=headers) == {}
    assert "Mcp-Session-Id" not in handshake.ask("ping").headers


def test_a_large_body_is_refused(alice):
    large = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "x" * 2**20}})
    headers = {"Content-Type": "application/json"}
    assert alice.request("POST", "/mcp", data=large, headers=headers).status_code == 413
