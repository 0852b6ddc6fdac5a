"""Gateway mode: another instance is called, with the bearer that the billing mode picks."""

import json
import sqlite3
from dataclasses import replace

import gevent
import pytest
from gevent.event import Event
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from service.database import refresh_leases
from service.database.access import write_transaction
from service.extensions import db
from service.integrations.calling.job_rows import TooManyJobs
from service.integrations.consent import authority
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.limit import Limit
from service.integrations.models import IntegrationJob
from service.limits import concurrency
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Upstream
from service.times import now
from tests.described_answers import is_described
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import MAIL, SEND, user
from tests.services import ENVIRONMENT, on_sqlite, wait_for
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
    return {**billing, **configure, "integrations_gateway_url": gateway.url}


def bearer(gateway) -> str:
    return gateway.seen[-1].headers["authorization"].removeprefix("Bearer ")


def test_the_callers_own_bearer_is_forwarded(alice, gateway, provider):
    headers = {"Idempotency-Key": "k1", "X-Approval": "session", "X-Request-Id": "r-1",
               "Cache-Control": "no-cache", "X-Door": "widget"}  # fmt: skip
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


@pytest.fixture
def seconds(monkeypatch):
    """The time limits of the requests so far."""
    given, opened = [], Upstream.open

    def noted(self, outbound):
        given.append(outbound.whole)
        return opened(self, outbound)

    monkeypatch.setattr(Upstream, "open", noted)
    return given


def test_a_slow_endpoint_has_its_wait_there(alice, gateway, seconds):
    assert alice.call("probe-task", {"wait": 60}).json == DONE
    assert alice.call("probe-search").json == DONE
    assert seconds[0] > seconds[1] + 55


def test_a_token_has_the_time_for_its_slowest_refresh_there(alice, gateway, seconds):
    assert alice.call(SEND).json == DONE
    assert alice.call("probe-search").json == DONE
    assert seconds[0] > 60 + refresh_leases.PATIENCE_SECONDS + authority.ANSWER_SECONDS
    assert seconds[1] < 70


@pytest.mark.parametrize("status", [400, 402, 404, 409, 429, 502])
def test_the_answers_of_the_other_instance_are_passed_through(alice, gateway, status):
    told = {"success": False, "error": "something", "message": "…", "needed": 3}
    headers = {**JSON, "Retry-After": "7"} if status == 429 else JSON
    gateway.answers = [Answer(json.dumps(told), f"{status} X", headers)]
    answer = alice.call("probe-search")
    assert (answer.status_code, answer.json) == (status, told)
    assert answer.headers.get("Retry-After") == ("7" if status == 429 else None)


def test_an_answer_that_is_kept_there_says_so_here(alice, gateway):
    kept = {"X-Cache": "hit", "Age": "7"}
    gateway.answers = [Answer(json.dumps(DONE), headers={**JSON, **kept})]
    answer = alice.call("probe-search")
    assert {name: answer.headers[name] for name in kept} == kept


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
def test_an_answer_in_another_form_is_a_failure_of_the_other_instance(alice, gateway, broken):
    gateway.answers = [BROKEN[broken]]
    answer = alice.call("probe-search")
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert (answer.json["success"], len(gateway.seen)) == (False, 1)


def test_a_refusal_from_there_is_in_the_callers_log(alice, gateway):
    told(gateway, {"success": False, "error": "insufficient_credits", "message": "…"}, "402 X")
    alice.call("probe-search")
    [record] = alice.person.records("integration-calls")
    assert (record["data"]["status"], record["data"]["error"]) == (
        "refused",
        "insufficient_credits",
    )


def test_an_error_says_that_the_other_instance_is_down(alice, gateway):
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


def told(gateway, data, status="200 X"):
    gateway.answers = [Answer(json.dumps(data), status, JSON)]


def test_under_developer_billing_each_user_has_keys_of_their_own(alice, bob, gateway):
    for someone in (alice, bob, alice):
        someone.call("probe-search", {"q": "x"}, headers={"Idempotency-Key": "k1"})
    keys = [seen.headers["idempotency-key"] for seen in gateway.seen]
    assert keys[0] == keys[2] != keys[1]
    assert "alice" not in keys[0]
    assert len(keys[0]) == 64


def test_no_key_collides_with_that_of_another_user(app, gateway, provider):
    pairs = [('a", "b', "c"), ("a", 'b", "c'), ("ab", "c"), ("a", "bc")]
    for subject, key in pairs:
        who = user(app, provider, subject)
        who.call("probe-search", {"q": "x"}, headers={"Idempotency-Key": key})
    assert len({seen.headers["idempotency-key"] for seen in gateway.seen}) == len(pairs)


RUNNING = {"success": True, "data": {"jobId": "job_there", "status": "running"}}
ENDED = {"success": True, "data": {"jobId": "job_there", "status": "done", "result": 1}}


def test_a_job_that_the_owner_pays_is_only_its_callers(alice, bob, gateway):
    told(gateway, RUNNING)
    for _ in range(2):  # with an Idempotency-Key, it is the same job again
        assert alice.call("probe-task").json == RUNNING
    told(gateway, ENDED)
    answer = alice.person.get("/api/integrations/jobs/job_there")
    assert (answer.json, gateway.seen[-1].path) == (ENDED, "/api/integrations/jobs/job_there")
    assert bearer(gateway) == ENVIRONMENT["OWNER_TOKEN"]
    records = alice.person.records("integration-calls")
    assert len(records) == 2
    for record in records:
        data = record["data"]
        assert (data["status"], data["jobId"]) == ("succeeded", "job_there")
        assert (data["payer"], data.get("credits")) == ("developer", None)  # charged there
    bob.person.get("/api/integrations/jobs/job_there")
    assert bearer(gateway) == bob.person.token, "where it is not his"


FAILED = {"success": False, "error": "upstream_timeout", "message": "…"}


@pytest.mark.settings(jobs_at_once=1)
@pytest.mark.parametrize("ended", [(ENDED, "200 X"), ({**FAILED, "jobStatus": "failed"}, "504 X")])
def test_jobs_that_the_owner_pays_are_counted_here(alice, bob, gateway, ended):
    told(gateway, RUNNING)
    assert alice.call("probe-task").status_code == 200
    refused = alice.call("probe-task")
    assert (refused.status_code, refused.json["message"]) == (429, TooManyJobs.message)
    assert len(gateway.seen) == 1, "there the owner has no limit"
    told(gateway, {"success": True, "data": {"jobId": "job_of_bob", "status": "running"}})
    assert bob.call("probe-task").status_code == 200
    told(gateway, *ended)
    alice.person.get("/api/integrations/jobs/job_there")
    told(gateway, {"success": True, "data": {**ENDED["data"], "jobId": "job_at_once"}})
    for _ in range(2):  # a job that has ended in its first answer takes no room
        assert alice.call("probe-task").status_code == 200


@pytest.mark.settings(jobs_at_once=2)
def test_a_repetition_shows_that_a_job_there_has_ended(alice, gateway):
    for state in ("running", "done"):
        told(gateway, {"success": True, "data": {"jobId": "job_there", "status": state}})
        alice.call("probe-task", headers={"Idempotency-Key": "k1"})
    for job_id in ("job_2", "job_3"):
        told(gateway, {"success": True, "data": {"jobId": job_id, "status": "running"}})
        assert alice.call("probe-task").status_code == 200


def test_how_often_a_user_calls_is_counted_here(alice, bob, gateway):
    proxy = alice.app.extensions["proxy"]
    search = replace(proxy.catalog.named("probe-search"), per_user=Limit(calls=1, seconds=3600))
    proxy.catalog = Catalog([search])
    calls = [someone.call("probe-search", {"q": "x"}) for someone in (alice, bob, alice)]
    assert [answer.status_code for answer in calls] == [200, 200, 429]
    assert len(gateway.seen) == 2


@pytest.mark.settings(jobs_at_once=1, integrations_billing="probe=user")
def test_jobs_that_their_caller_pays_are_counted_there(alice, gateway):
    told(gateway, RUNNING)
    for _ in range(2):
        assert alice.call("probe-task").status_code == 200


@pytest.mark.parametrize("pays", ["developer", "user"])
def test_a_job_that_fails_there_has_failed_in_the_callers_log(app, alice, gateway, pays):
    billing = app.extensions["proxy"]._settings.integrations_billing
    billing["probe"] = pays
    told(gateway, RUNNING)
    alice.call("probe-task")
    for failed, status in ((FAILED, "accepted"), ({**FAILED, "jobStatus": "failed"}, "failed")):
        told(gateway, failed, "504 X")
        answer = alice.person.get("/api/integrations/jobs/job_there")
        assert (answer.status_code, answer.json) == (504, failed)
        [record] = alice.person.records("integration-calls")
        assert record["data"]["status"] == status
    assert record["data"]["error"] == "upstream_timeout"


@pytest.fixture
def refusing(app, request):
    """A database that is away when it is first given a statement that begins so."""
    refused = []

    def refuse(_connection, _cursor, statement, *_more):
        if statement.startswith(request.param) and not refused:
            refused.append(statement)
            raise OperationalError(statement, {}, sqlite3.OperationalError("database is locked"))

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", refuse)
    yield refused
    event.remove(engine, "before_cursor_execute", refuse)


@pytest.mark.parametrize("refusing", ["INSERT INTO integration_jobs"], indirect=True)
def test_a_job_whose_owner_can_not_be_stored_just_now_is_not_lost(app, alice, gateway, refusing):
    told(gateway, RUNNING)
    assert (alice.call("probe-task").json, len(refusing)) == (RUNNING, 1)
    lifecycle = app.extensions["lifecycle"]
    assert not lifecycle.is_done, "a worker that is to end stores it first"
    told(gateway, ENDED)

    def owned():
        answer = alice.person.get("/api/integrations/jobs/job_there")
        return answer.json == ENDED and bearer(gateway) == ENVIRONMENT["OWNER_TOKEN"]

    wait_for(owned)
    assert lifecycle.is_done


@pytest.mark.parametrize("refusing", ["UPDATE integration_calls"], indirect=True)
def test_a_result_is_given_whose_row_can_not_be_written_just_now(app, alice, gateway, refusing):
    told(gateway, RUNNING)
    alice.call("probe-task")
    told(gateway, ENDED)
    answer = alice.person.get("/api/integrations/jobs/job_there")
    assert (answer.json, len(refusing)) == (ENDED, 1)
    wait_for(lambda: app.extensions["lifecycle"].is_done)
    [record] = alice.person.records("integration-calls")
    assert record["data"]["status"] == "succeeded"


def test_an_odd_error_from_there_is_passed_through_and_in_the_log(alice, gateway):
    odd = {"success": False, "error": "odd \ud83d\0", "message": "odd", "jobStatus": "failed"}
    told(gateway, RUNNING)
    alice.call("probe-task")
    told(gateway, odd, "502 X")
    assert alice.person.get("/api/integrations/jobs/job_there").json == odd
    assert alice.call("probe-task").json == odd
    errors = [row["data"]["error"] for row in alice.person.records("integration-calls")]
    assert errors == ["odd \ufffd\ufffd"] * 2


@pytest.mark.parametrize("job_id", ["j" * 65, "job\0", "", 7])
def test_an_id_that_is_none_of_a_job_is_passed_through_and_not_stored(alice, gateway, job_id):
    odd = {"success": True, "data": {"jobId": job_id, "status": "running"}}
    told(gateway, odd)
    assert alice.call("probe-task").json == odd
    [record] = alice.person.records("integration-calls")
    assert "jobId" not in record["data"]
    with alice.app.app_context():
        assert db.session.scalars(select(IntegrationJob)).all() == []
        db.session.commit()


@pytest.mark.settings(integrations_billing="probe=user")
def test_a_job_that_its_caller_pays_is_asked_for_in_their_name(alice, gateway):
    told(gateway, RUNNING)
    alice.call("probe-task")
    told(gateway, {"success": False, "error": "not_found", "message": "…"}, "404 X")
    answer = alice.person.get("/api/integrations/jobs/job_there")
    assert (answer.status_code, bearer(gateway)) == (404, alice.person.token)


@pytest.mark.parametrize("job_id", ["%2E", "%2E%2E"])
def test_an_id_that_is_no_piece_of_a_path_is_that_of_no_job(alice, gateway, job_id):
    assert alice.person.get(f"/api/integrations/jobs/{job_id}").status_code == 404
    assert gateway.seen == []


def test_a_job_from_before_there_was_a_gateway_is_asked_for_here(alice, provider, gateway):
    row = IntegrationJob(
        job_id="job_here",
        user_id="alice",
        endpoint="probe-task",
        task_id="task-1",
        state="running",
        ends_at=now(),
    )
    alice.person.get("/api/ai/models")
    with alice.app.app_context(), write_transaction() as session:
        session.add(row)
    provider.script("probe", Reply(200, {"state": "done", "result": 1}))
    assert alice.person.get("/api/integrations/jobs/job_here").json["data"]["result"] == 1
    assert gateway.seen == []


def test_a_job_of_a_gateway_that_is_gone_is_asked_for_nowhere(app, alice, provider, gateway):
    told(gateway, RUNNING)
    alice.call("probe-task")
    app.extensions["proxy"].gateway = None
    assert alice.person.get("/api/integrations/jobs/job_there").status_code == 404
    assert provider.seen == []


def test_the_status_is_that_of_where_the_tokens_are(alice, gateway):
    connected = {"cloudsuite": {"connected": True, "mailRead": True}}
    told(gateway, connected)
    assert alice.person.get("/api/integrations/status").json == connected
    assert (gateway.seen[-1].path, bearer(gateway)) == (
        "/api/integrations/status",
        alice.person.token,
    )
    told(gateway, {"hello": "world"})
    assert alice.person.get("/api/integrations/status").status_code == 502


def find_over_mcp(person, query):
    params = {"name": "integrations_find", "arguments": {"query": query}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = person.post("/mcp", message, headers={"Accept": "application/json"})
    return answer.json["result"]["structuredContent"]["endpoints"]


@pytest.mark.settings(calls_at_once=2)
def test_requests_for_the_status_there_wait_for_those_of_their_user(alice, gateway, monkeypatch):
    opened, connected = Event(), json.dumps({"cloudsuite": {"connected": True}})
    gateway.answers = [lambda seen: opened.wait(30) and Answer(connected, headers=JSON)]
    asked = [gevent.spawn(alice.person.get, "/api/integrations/status") for _ in range(2)]
    wait_for(lambda: len(gateway.seen) == 2)
    monkeypatch.setattr(concurrency, "POLL_SECONDS", 0.2)
    refused = alice.person.get("/api/integrations/status")
    assert (refused.status_code, refused.json["error"]) == (429, "rate_limited")
    found = find_over_mcp(alice.person, "list my mail")
    assert "cloudsuite/mail-list" in {one["endpoint"] for one in found}
    assert all("connected" not in one for one in found)
    opened.set()
    assert [one.get().status_code for one in asked] == [200, 200]
    assert len(gateway.seen) == 2


def test_a_disconnect_ends_the_connection_there(alice, gateway):
    done = {"success": True, "data": {"connected": False}}
    told(gateway, done)
    assert alice.disconnect().json == done
    seen = gateway.seen[-1]
    assert (seen.method, seen.path) == (
        "DELETE",
        "/api/integrations/oauth/cloudsuite/disconnect",
    )
    assert bearer(gateway) == alice.person.token
    gateway.answers = [BROKEN["html 502"]]
    assert alice.disconnect().status_code == 502


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/api/integrations/status"),
        ("get", "/api/integrations/jobs/{job_id}"),
        ("delete", "/api/integrations/oauth/{integration}/disconnect"),
    ],
)
def test_failures_of_the_other_instance_are_described(
    client, alice, gateway, monkeypatch, method, path
):
    def ask():
        named = path.format(job_id="j", integration="cloudsuite")
        return alice.person.request(method.upper(), named)

    def wait_too_long(self, outbound):
        raise UpstreamError("timeout")

    gateway.answers = [BROKEN["html 502"]]
    answers = [ask()]
    monkeypatch.setattr(Upstream, "open", wait_too_long)
    answers.append(ask())
    assert [answer.status_code for answer in answers] == [502, 504]
    assert [is_described(client, method, path, answer) for answer in answers] == [True, True]


def test_the_browser_gets_no_cookie_of_ours_for_a_consent_there(alice, gateway):
    data = {"requiresOAuth": True, "provider": "cloudsuite", "scopes": ["s"], "authUrl": "u"}
    told(gateway, {"success": True, "data": data})
    assert "Set-Cookie" not in alice.call(SEND).headers


def test_what_all_users_share_there_is_not_continued(app, alice, gateway):
    proxy = app.extensions["proxy"]
    continuing = replace(proxy.catalog.named("probe-task"), continues="q")
    proxy.catalog = Catalog([continuing])
    answer = alice.call("probe-task", {"q": "task-of-bob"})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["q"])
    assert gateway.seen == []


def test_a_limited_token_is_limited_here_too(alice, gateway):
    mine = alice.limited(SEND)
    assert mine.call("send-email", MAIL).json == DONE
    assert bearer(gateway) == mine.person.token  # the other instance knows its limits
    assert mine.call("probe-search").status_code == 403
    assert len(gateway.seen) == 1


def test_what_only_the_other_instance_could_count_is_refused(alice, gateway):
    """There the owner is charged, and the token with its limit is not known."""
    refused = alice.limited(credits=1000).call("probe-search")
    assert (refused.status_code, refused.json["error"]) == (403, "forbidden")
    assert alice.limited().call("probe-search").json == DONE
    assert len(gateway.seen) == 1
