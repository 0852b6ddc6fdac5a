"""Calls with a limited token: which endpoints, which jobs, and how many credits."""

from dataclasses import replace

import gevent
import pytest

from service.billing.models import Allowance
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.task import Task
from tests.integrations.oauth import endpoints
from tests.integrations.oauth.probe import SEARCH, STARTED, TASK
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import EVENTS, READ, SEND
from tests.services import on_sqlite
from tests.user_erasure import erase


def spent(books) -> float:
    [allowance] = books.rows(Allowance)
    return allowance.spent / 1_000_000


@on_sqlite
@pytest.mark.parametrize("named", [SEND, "send-email"])
def test_an_endpoint_is_open_under_each_of_its_names(connected, provider, named):
    connected.connect(SEND)
    mine = connected.limited(named)
    mail = {"to": "bob@example.com", "subject": "s", "content": "c"}
    for name in (SEND, "send-email"):
        assert mine.call(name, mail).status_code == 200


@on_sqlite
def test_a_limited_token_opens_no_other_endpoints_though_answers_are_stored(alice, provider):
    """A stored answer of an `Idempotency-Key`, too; and no request leaves."""
    key = {"Idempotency-Key": "k"}
    assert alice.call(SEARCH, {"q": "x"}, headers=key).status_code == 200
    mine, asked = alice.limited(READ), len(provider.seen)
    for headers in ({}, key):
        refused = mine.call(SEARCH, {"q": "x"}, headers=headers)
        assert (refused.status_code, refused.json["error"]) == (403, "forbidden")
    assert alice.limited(scope="chat").call(SEARCH).status_code == 403
    for name, status in ((READ, 200), (SEARCH, 403)):
        price = mine.person.post(f"/api/integrations/price/{name}", {"q": "x"})
        assert price.status_code == status
    assert mine.person.get(f"/api/integrations/{EVENTS}").status_code == 403
    assert len(provider.seen) == asked


@on_sqlite
def test_a_key_is_its_users_whatever_the_token(alice, provider, books):
    key = {"Idempotency-Key": "k"}
    first = alice.limited(SEARCH).call(SEARCH, {"q": "x"}, headers=key)
    again = alice.limited(SEARCH, credits=0).call(SEARCH, {"q": "x"}, headers=key)
    assert (again.status_code, again.json) == (200, first.json)
    assert (len(provider.seen), books.charges()) == (1, [-3])


@on_sqlite
def test_only_jobs_of_its_endpoints_are_there(alice, bob, provider):
    provider.script("probe", Reply(200, STARTED))
    path = f"/api/integrations/jobs/{alice.call(TASK).json['data']['jobId']}"
    missing = alice.person.get("/api/integrations/jobs/job_x").json
    for other in (alice.limited(SEARCH), bob.limited(TASK)):
        assert (other.person.get(path).status_code, other.person.get(path).json) == (404, missing)
    assert len(provider.seen) == 1
    provider.script("probe", Reply(200, {"state": "done", "result": {"a": 1}}))
    assert alice.limited(TASK).person.get(path).json["data"]["status"] == "done"


@on_sqlite
def test_the_status_for_a_limited_token_has_the_integrations_of_its_endpoints(connected):
    assert connected.limited(SEARCH).person.get("/api/integrations/status").json == {}
    for names in ([READ], []):
        assert connected.limited(*names).status == connected.status


@on_sqlite
def test_a_consent_is_begun_with_it_for_its_endpoints_alone(alice):
    mine = alice.limited(READ)
    assert mine.call(SEND).status_code == 403
    mine.connect(READ)
    assert alice.status["mailRead"] is True
    assert mine.disconnect().status_code == 403


def test_the_last_credit_is_spent_once(alice, provider, books):
    mine = alice.limited(SEARCH, credits=5)
    calls = [gevent.spawn(mine.call, SEARCH) for _ in range(4)]
    statuses = sorted(call.get(timeout=30).status_code for call in calls)
    assert statuses == [200, 402, 402, 402]
    refused = mine.call(SEARCH).json
    assert (refused["needed"], refused["available"]) == (3, 2)
    assert (books.charges(), spent(books)) == ([-3], 3)
    assert alice.call(SEARCH).status_code == 200


@on_sqlite
def test_what_failed_costs_the_token_nothing(alice, provider, books):
    mine = alice.limited(SEARCH, credits=3)
    provider.script("probe", Reply(500))
    assert mine.call(SEARCH).status_code == 502
    assert spent(books) == 0
    assert mine.call(SEARCH).status_code == 200


@on_sqlite
def test_what_is_refunded_can_be_spent_again(alice, app, provider, books):
    """The vendor tells what a task has cost once it has ended: here a dollar's fiftieth."""
    [slow] = [item for item in endpoints.ENDPOINTS if item.name == TASK]
    job = replace(slow.job, task=task_of)
    app.extensions["proxy"].catalog = Catalog([replace(slow, job=job)])
    mine = alice.limited(TASK, credits=5)
    provider.script("probe", Reply(200, STARTED), Reply(200, {"state": "done"}))
    job_id = mine.call(TASK).json["data"]["jobId"]
    assert (spent(books), mine.call(TASK).status_code) == (5, 402)
    alice.person.get(f"/api/integrations/jobs/{job_id}")
    assert (spent(books), books.has()) == (1, (999, 0))


def task_of(answer) -> Task:
    return replace(endpoints.task(answer), dollars=0.02)


@on_sqlite
@pytest.mark.settings(integrations_billing="probe=developer")
def test_what_the_owner_pays_counts_and_shows_no_balance_of_the_owners(alice, books):
    mine = alice.limited(SEARCH, credits=4)
    assert mine.call(SEARCH).status_code == 200
    assert mine.call(SEARCH).json["available"] == 1
    assert (books.charges("owner"), spent(books)) == ([-3], 3)


@on_sqlite
def test_nothing_is_left_of_an_erased_users_token(alice, app, provider, books):
    mine = alice.limited(SEARCH, credits=9)
    assert mine.call(SEARCH).status_code == 200
    erase(app)
    assert books.rows(Allowance) == []
    assert mine.call(SEARCH).status_code == 401
