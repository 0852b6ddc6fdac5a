"""Who pays for a call, when nobody does, and what is sent twice but made once."""

import pytest
from gevent.pool import Pool

from config import ConfigError
from service.billing.models import Hold
from service.extensions import now
from service.integrations.models import IdempotencyKey, IntegrationJob
from tests.billing.books import Books
from tests.integrations.oauth.conftest import everything_in
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import MAIL, READ, REFRESH_FAILED, SEND, user
from tests.services import on_sqlite, settings_for

SEARCH, TASK = "probe-search", "probe-task"
STARTED = {"id": "task-1"}


@pytest.fixture
def books(app):
    books = Books(app)
    yield books
    books.check()
    assert not books.rows(Hold, state="open"), "a hold was left"


def has(books, subject: str) -> float:
    balance, held = books.has(subject)
    assert held == 0
    return balance


def test_the_user_pays(alice, books):
    answer = alice.call(SEARCH, {"q": "x"}, headers={"X-Approval": "once"})
    assert answer.json == {"success": True, "data": {"asked": {"q": "x"}}}
    statement = alice.person.get("/api/credits").json
    assert (statement["balance"], statement["held"]) == (997, 0)
    entry = statement["entries"][0]
    assert (entry["amount"], entry["what"]) == (-3, SEARCH)
    assert entry["facts"] == {"integration": "probe", "approval": "once"}


@pytest.mark.settings(integrations_billing="probe=developer")
def test_under_developer_billing_the_owner_pays(alice, books):
    assert alice.call(SEARCH).status_code == 200
    assert has(books, "owner") == 997
    assert books.charges("owner") == [-3]
    assert alice.person.get("/api/credits").json["balance"] == 1000
    listed = alice.person.get("/api/integrations/catalog").json["endpoints"]
    assert {item["billing"] for item in listed if item["integration"] == "probe"} == {"developer"}
    assert {item["billing"] for item in listed if item["integration"] == "cloudsuite"} == {"user"}


@pytest.mark.parametrize("billing", ["cloudsuite=developer", "probe=user, cloudsuite = developer"])
def test_the_office_suite_is_never_the_developers(billing):
    with pytest.raises(ConfigError, match="^INTEGRATIONS_BILLING: must"):
        settings_for("sqlite:///x.db", integrations_billing=billing)


@on_sqlite
@pytest.mark.settings(starting_credits=2)
def test_without_enough_credits_nothing_is_sent(alice, provider, books):
    answer = alice.call(SEARCH)
    assert (answer.status_code, answer.json["error"]) == (402, "insufficient_credits")
    assert (answer.json["needed"], answer.json["available"]) == (3, 2)
    assert (provider.seen, books.charges()) == ([], [])
    assert alice.person.get("/api/credits").json["balance"] == 2


@on_sqlite
@pytest.mark.settings(starting_credits=1)
def test_without_enough_credits_no_token_is_refreshed(expired, provider, books):
    expired.connect(SEND)
    expired.expire()
    before = len(provider.seen)
    assert expired.call(SEND).status_code == 402
    assert len(provider.seen) == before


@on_sqlite
@pytest.mark.settings(starting_credits=2, integrations_billing="probe=developer")
def test_what_the_owner_has_is_not_told(alice):
    answer = alice.call(SEARCH)
    assert (answer.status_code, answer.json["needed"]) == (402, 3)
    assert "available" not in answer.json


@pytest.mark.parametrize("reply", [Reply(500, ""), Reply(400, {}), Reply(429, {}), Reply(200, "-")])
@on_sqlite
def test_a_call_that_came_to_nothing_is_free(alice, provider, books, reply):
    provider.script("probe", reply)
    assert alice.call(SEARCH).json["success"] is False
    assert (has(books, "alice"), books.charges()) == (1000, [])


def test_a_consent_that_is_needed_is_free(alice, provider, books):
    alice.connect(SEND)
    provider.access.clear()
    assert alice.payload(SEND)
    assert (has(books, "alice"), books.charges()) == (1000, [])
    alice.connect(SEND)
    alice.expire()
    provider.refreshes.clear()
    assert alice.call(SEND).json == REFRESH_FAILED
    assert (has(books, "alice"), books.charges()) == (1000, [])


def once(caller, key="k1", endpoint=SEARCH, body=None):
    body = {"q": "x"} if body is None else body
    return caller.call(endpoint, body, headers={"Idempotency-Key": key})


def test_the_same_key_and_body_is_one_call_and_one_charge(app, alice, provider, books):
    provider.script("probe", Reply(200, {"found": "something-secret"}))
    answers = [once(alice) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {200}
    told = {"success": True, "data": {"found": "something-secret"}}
    assert [answer.json for answer in answers] == [told] * 3
    assert (len(provider.seen), books.charges()) == (1, [-3])
    assert "something-secret" not in everything_in(app)


def test_the_same_key_with_another_body_is_a_conflict(alice, provider, books):
    first = {"q": "x", "wide": {"a": 1, "b": [2]}}
    assert once(alice, body=first).status_code == 200
    again = {"wide": {"b": [2], "a": 1}, "q": "x"}
    assert once(alice, body=again).json == once(alice, body=first).json
    for other in ({"q": "y"}, {}, {"q": "x", "wide": {"a": 1, "b": [3]}}):
        answer = once(alice, body=other)
        assert (answer.status_code, answer.json["error"]) == (409, "conflict")
    assert (len(provider.seen), books.charges()) == (1, [-3])


def test_a_key_belongs_to_one_user_and_one_endpoint(alice, bob, provider, books):
    alice.connect(SEND)
    assert once(alice).status_code == once(bob).status_code == 200
    assert once(alice, endpoint=SEND, body=MAIL).json["data"]["account"] == "one"
    assert once(alice, endpoint="send-email", body=MAIL).json["data"]["account"] == "one"
    assert (len(provider.asked("probe")), len(provider.asked("api"))) == (2, 1)
    assert (has(books, "alice"), has(books, "bob")) == (995, 997)


@pytest.mark.parametrize("status", [500, 400, 429])
@on_sqlite
def test_a_failure_is_not_stored(alice, provider, books, status):
    provider.script("probe", Reply(status, {}))
    assert once(alice).json["success"] is False
    assert once(alice).status_code == 200
    assert (len(provider.seen), books.charges()) == (2, [-3])


@on_sqlite
def test_a_payload_is_not_stored(alice, provider, books):
    assert once(alice, endpoint=SEND, body=MAIL).json["data"]["requiresOAuth"]
    alice.connect(SEND)
    provider.script("api", Reply(401, {}))
    assert once(alice, endpoint=SEND, body=MAIL).json["data"]["requiresOAuth"]
    assert books.rows(IdempotencyKey) == []
    alice.connect(SEND)
    assert once(alice, endpoint=SEND, body=MAIL).json["data"]["account"] == "one"
    assert books.charges() == [-2]


def test_of_many_at_once_one_is_made(app, provider, books):
    def call(_):
        answer = once(user(app, provider, "alice"))
        return answer.status_code, answer.json.get("data")

    answers = Pool(30).map(call, range(30))
    made = (200, {"asked": {"q": "x"}})
    assert made in answers
    assert set(map(str, answers)) <= {str(made), str((409, None))}
    assert (len(provider.seen), books.charges()) == (1, [-3])


@on_sqlite
def test_a_key_lasts_a_day(alice, provider, books):
    assert once(alice).status_code == 200
    [row] = books.rows(IdempotencyKey)
    assert 23.9 < (row.expires_at - now()).total_seconds() / 3600 <= 24
    books.do(lambda session: session.merge(IdempotencyKey(seq=row.seq, expires_at=now())))
    assert once(alice, body={"q": "other"}).status_code == 200
    assert len(provider.seen) == 2


@on_sqlite
@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_its_length(alice, provider, key):
    answer = once(alice, key=key)
    assert (answer.status_code, "Idempotency-Key" in answer.json["details"]) == (400, True)
    assert provider.seen == []


def test_a_task_is_paid_for_when_it_is_accepted(alice, provider, books):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]
    assert (job["status"], books.charges()) == ("running", [-5])
    provider.script("probe", Reply(200, {"state": "done", "result": {"found": "secret-text"}}))
    path = f"/api/integrations/jobs/{job['jobId']}"
    done = {"jobId": job["jobId"], "status": "done", "result": {"found": "secret-text"}}
    for _ in range(2):
        assert alice.person.get(path).json == {"success": True, "data": done}
    assert (len(provider.seen), books.charges()) == (2, [-5])
    assert "secret-text" not in everything_in(alice.app)


@on_sqlite
def test_a_job_is_only_its_owners(alice, bob, provider):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]
    missing, foreign = (bob.person.get(f"/api/integrations/jobs/{n}") for n in ("job_x", job))
    assert (missing.status_code, missing.json) == (foreign.status_code, foreign.json)
    assert (foreign.status_code, len(provider.seen)) == (404, 1)


@on_sqlite
def test_a_task_that_fails_while_it_is_waited_for_has_been_paid(alice, provider, books):
    provider.script("probe", Reply(200, STARTED), Reply(200, {"state": "failed"}))
    answer = alice.call(TASK, {"wait": 2})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert books.charges() == [-5]


@on_sqlite
def test_a_wait_that_breaks_off_leaves_the_job(alice, provider, books):
    provider.script("probe", Reply(200, STARTED), Reply(400, {}))
    job = alice.call(TASK, {"wait": 2}).json["data"]
    assert (job["status"], books.charges()) == ("running", [-5])
    provider.script("probe", Reply(200, {"state": "done", "result": 1}))
    shown = alice.person.get(f"/api/integrations/jobs/{job['jobId']}").json["data"]
    assert (shown["status"], shown["result"]) == ("done", 1)


@on_sqlite
def test_a_job_that_had_its_time_has_timed_out_for_good(alice, provider, books):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]
    books.do(lambda session: session.merge(IntegrationJob(job_id=job, ends_at=now())))
    for _ in range(2):
        answer = alice.person.get(f"/api/integrations/jobs/{job}")
        assert (answer.status_code, answer.json["error"]) == (504, "upstream_timeout")
    assert len(provider.seen) == 1


@on_sqlite
@pytest.mark.parametrize("wait", [-1, 61, "soon", None, float("1e9")])
def test_a_wait_has_its_bounds(alice, provider, wait):
    answer = alice.call(TASK, {"wait": wait})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["wait"])
    assert provider.seen == []


@on_sqlite
def test_a_get_has_its_parameters_in_the_query(connected):
    answer = connected.person.get(f"/api/integrations/{READ}?q=x")
    assert answer.json["data"]["account"] == "one"
    refused = connected.person.get(f"/api/integrations/{SEND}?to=x")
    assert (refused.status_code, refused.json["error"]) == (400, "invalid_request")
