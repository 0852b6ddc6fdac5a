"""Gateway mode: another instance is called, with the bearer that the billing mode picks."""

import json

import pytest

from service.upstream import Upstream
from tests.integrations.oauth.user import MAIL, SEND
from tests.services import ENVIRONMENT, on_sqlite
from tests.upstream import Answer

pytestmark = on_sqlite

JSON = {"Content-Type": "application/json"}
DONE = {"success": True, "data": {"from": "there"}}


@pytest.fixture
def gateway(upstream):
    upstream.answers = [Answer(json.dumps(DONE), headers=JSON)]
    return upstream


@pytest.fixture
def configure(configure, gateway) -> dict:
    billing = {"integrations_billing": "probe=developer"}
    return {**configure, **billing, "integrations_gateway_url": gateway.url}


def bearer(gateway) -> str:
    return gateway.seen[-1].headers["authorization"].removeprefix("Bearer ")


def test_the_callers_own_bearer_is_forwarded(alice, gateway, provider):
    headers = {"Idempotency-Key": "k1", "X-Approval": "session", "X-Request-Id": "r-1"}
    answer = alice.call("send-email", MAIL, headers=headers)
    assert (answer.status_code, answer.json) == (200, DONE)
    [seen] = gateway.seen
    assert (seen.path, seen.json) == (f"/api/integrations/{SEND}", MAIL)
    assert bearer(gateway) == alice.person.token
    assert {seen.headers[name.lower()] for name in headers} == set(headers.values())
    assert provider.seen == []


def test_under_developer_billing_it_is_the_owners(alice, gateway):
    assert alice.call("probe-search", {"q": "x"}).json == DONE
    assert bearer(gateway) == ENVIRONMENT["OWNER_TOKEN"]


def test_nothing_is_charged_here(alice, gateway):
    alice.call("probe-search")
    assert alice.person.get("/api/credits").json["balance"] == 1000


def test_a_slow_endpoint_has_its_wait_there(alice, gateway, monkeypatch):
    asked = []
    opened = Upstream.open

    def noted(self, outbound):
        asked.append(outbound.whole)
        return opened(self, outbound)

    monkeypatch.setattr(Upstream, "open", noted)
    assert alice.call("probe-task", {"wait": 60}).json == DONE
    assert alice.call("probe-search").json == DONE
    assert asked[0] > asked[1] + 55


@pytest.mark.parametrize("status", [400, 402, 404, 409, 429, 502])
def test_its_answers_are_passed_through(alice, gateway, status):
    told = {"success": False, "error": "something", "message": "…", "needed": 3}
    headers = {**JSON, "Retry-After": "7"} if status == 429 else JSON
    gateway.answers = [Answer(json.dumps(told), f"{status} X", headers)]
    answer = alice.call("probe-search")
    assert (answer.status_code, answer.json) == (status, told)
    assert answer.headers.get("Retry-After") == ("7" if status == 429 else None)


BROKEN = {
    "its 401": Answer('{"success": false, "error": "unauthorized"}', "401 X"),
    "html": Answer("<html>hello</html>"),
    "html 502": Answer("<html>bad gateway</html>", "502 X"),
    "empty": Answer(""),
    "no envelope": Answer('{"data": 1}'),
    "a list": Answer("[]"),
    "deep": Answer("[" * 99999),
    "redirect": Answer('{"success": true}', "302 X", {"Location": "http://127.0.0.1:1/"}),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_no_answer_of_ours_is_its_failure(alice, gateway, broken):
    gateway.answers = [BROKEN[broken]]
    answer = alice.call("probe-search")
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert (answer.json["success"], len(gateway.seen)) == (False, 1)


def test_when_it_is_down_that_is_said(alice, gateway):
    gateway.stop()
    answer = alice.call("probe-search")
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")


def test_a_payload_from_there_is_passed_through(alice, gateway):
    data = {"requiresOAuth": True, "provider": "cloudsuite", "scopes": ["s"], "authUrl": "u"}
    gateway.answers = [Answer(json.dumps({"success": True, "data": data}), headers=JSON)]
    assert alice.call(SEND).json["data"] == data


def test_unknown_endpoints_are_not_forwarded(alice, gateway):
    answer = alice.call("cloudsuite/mail-sent", {})
    assert (answer.status_code, answer.json["error"]) == (404, "unknown_endpoint")
    assert answer.json["nearest"][0] == SEND
    assert gateway.seen == []
