"""The collection `integration-calls`: each call of an endpoint with its outcome, for its user."""

import json
from contextlib import contextmanager

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from service.activity.calls import CallRows
from service.activity.models import IntegrationCall
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling import attempt, job_rows
from service.integrations.models import IntegrationJob
from service.records.models import Outbox
from service.upkeep.sweeping import sweep
from tests.integrations.oauth.probe import SEARCH, STARTED, TASK, measured
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import READ
from tests.services import on_sqlite
from tests.user_erasure import erase


def calls(user, **query):
    """The data of the user's calls, oldest first."""
    return [one["data"] for one in user.person.records("integration-calls", **query)]


def told(data):
    names = ("status", "error", "upstreamStatus", "credits")
    return tuple(data.get(name) for name in names)


def test_a_call_is_a_record_of_its_callers_own(alice, bob, provider, books):
    alice.call(SEARCH, {"q": "secret-text"}, headers={"X-Approval": "session"})
    [record] = alice.person.records("integration-calls")
    data = record["data"]
    assert data.pop("ms") >= 0
    assert data == {
        "userId": "alice", "endpoint": SEARCH, "integration": "probe", "payer": "user",
        "door": "http", "approval": "session", "status": "succeeded", "credits": 3,
    }  # fmt: skip
    [charge, _] = alice.person.get("/api/credits").json["entries"]
    assert (charge["ref"], charge["what"]) == (record["recordId"], SEARCH)
    assert (calls(bob), "secret-text" in json.dumps(record)) == ([], False)
    path = f"/api/records/integration-calls/{record['recordId']}"
    assert bob.person.get(path).status_code == 404
    assert alice.person.delete(path).status_code == 403


@on_sqlite
@pytest.mark.parametrize(
    ("endpoint", "body", "replies", "outcome"),
    [
        (SEARCH, {"q": 7}, [], ("refused", "invalid_request", None, 0)),
        (SEARCH, {}, [Reply(400, {})], ("refused", "invalid_request", None, 0)),
        (SEARCH, {}, [Reply(500, {})], ("failed", "upstream_provider_error", 500, 0)),
        (READ, {}, [], ("consent", None, None, 0)),
    ],
)
def test_what_did_not_succeed_says_why(alice, provider, books, endpoint, body, replies, outcome):
    provider.script("probe", *replies)
    alice.call(endpoint, body)
    [data] = calls(alice)
    assert (data["endpoint"], told(data)) == (endpoint, outcome)


@on_sqlite
def test_a_call_that_can_not_be_paid_is_refused(alice, provider, books):
    books.open(credits=1)
    alice.call(SEARCH)
    assert [told(data) for data in calls(alice)] == [("refused", "insufficient_credits", None, 0)]
    assert alice.call("no-such-endpoint").status_code == 404
    assert len(calls(alice)) == 1  # nobody knows which endpoint that would be


def test_a_free_call_is_logged_once_with_its_widget(connected, provider):
    connected.call(READ, headers={"X-Door": "widget"})
    data = calls(connected, where={"status": "succeeded"})
    assert [(one["endpoint"], one["credits"], one["door"]) for one in data] == [(READ, 0, "widget")]
    connected.call(READ, headers={"X-Door": "chat"})  # only the server knows that
    assert calls(connected)[-1]["door"] == "http"


@on_sqlite
def test_a_repetition_with_a_key_is_the_same_call(alice, provider, books):
    for _ in range(2):
        alice.call(SEARCH, {"q": "a"}, headers={"Idempotency-Key": "k"})
    alice.call(SEARCH, {"q": "b"}, headers={"Idempotency-Key": "k"})
    expected = [("succeeded", None, None, 3), ("refused", "conflict", None, 0)]
    assert [told(data) for data in calls(alice)] == expected


@pytest.fixture
def lost_reply(monkeypatch):
    """The connection is lost after the commit of a call's charge."""
    commits = []

    @contextmanager
    def transaction():
        with write_transaction() as session:
            yield session
        commits.append(session)
        if len(commits) == 2:  # the first one holds the price
            raise OperationalError("COMMIT", {}, Exception(), connection_invalidated=True)

    monkeypatch.setattr(attempt, "write_transaction", transaction)
    return commits


@on_sqlite
@pytest.mark.parametrize(("endpoint", "price"), [(SEARCH, 3), (TASK, 5)])
def test_a_charge_whose_commit_is_tried_again_is_measured_once(
    alice, provider, books, lost_reply, endpoint, price
):
    provider.script("probe", Reply(200, STARTED))
    before = measured(endpoint)
    assert alice.call(endpoint).status_code == 200
    assert (len(lost_reply), books.charges()) == (3, [-price])
    assert measured(endpoint) - before == price
    assert [one["credits"] for one in calls(alice)] == [price]
    assert [job.charged for job in books.rows(IntegrationJob)] in ([], [price * 1_000_000])


@pytest.mark.parametrize(
    ("state", "dollars", "outcome"),
    [
        ("done", 0.04, ("succeeded", None, None, 2)),
        ("failed", None, ("failed", "upstream_provider_error", None, 5)),
    ],
)
def test_the_row_of_a_job_tells_its_end(app, alice, provider, books, state, dollars, outcome):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]
    [data] = calls(alice)
    assert (data["status"], data["credits"], data["jobId"]) == ("accepted", 5, job)
    provider.script("probe", Reply(200, {"state": state, "result": {}, "dollars": dollars}))
    for _ in range(2):
        alice.person.get(f"/api/integrations/jobs/{job}")
    assert [told(data) for data in calls(alice)] == [outcome]
    with app.app_context():
        changes = db.session.query(Outbox).filter_by(collection="integration-calls")
        assert [change.action for change in changes.order_by(Outbox.seq)] == ["added", "updated"]


def test_a_job_that_nobody_asked_about_expires(app, alice, provider, books):
    provider.script("probe", Reply(200, STARTED))
    alice.call(TASK)
    ended = update(IntegrationJob).values(ends_at=from_now(-job_rows.KEPT_SECONDS - 1))
    books.do(lambda session: session.execute(ended))
    with app.app_context():
        sweep()
    assert [told(data) for data in calls(alice)] == [("expired", None, None, 5)]


def test_calls_are_swept_after_thirty_days(app, alice, provider, books):
    for _ in range(2):
        alice.call(SEARCH)
    kept, old = (one["recordId"] for one in alice.person.records("integration-calls"))
    past = update(IntegrationCall).values(created_at=from_now(-30 * 24 * 3600 - 1))
    books.do(lambda session: session.execute(past.where(IntegrationCall.call_id == old)))
    with app.app_context():
        sweep()
        removed = db.session.query(Outbox).filter_by(record_id=old, action="removed").count()
    assert [one["recordId"] for one in alice.person.records("integration-calls")] == [kept]
    assert removed == 1


def test_an_erased_user_leaves_no_calls(app, alice, bob, provider):
    alice.call(SEARCH)
    bob.call(SEARCH)
    assert erase(app).inventory.records["integration-calls"] == 1
    with app.app_context(), write_transaction() as session:
        rows = session.query(IntegrationCall).all()
        traces = session.query(Outbox).filter_by(collection="integration-calls").all()
    assert [row.user_id for row in rows] == ["bob"]
    assert ["alice" in repr((row.owner, row.after)) for row in traces] == [False, False]


@on_sqlite
def test_a_call_does_not_fail_because_it_can_not_be_logged(connected, provider, monkeypatch):
    def fail(*arguments):
        raise OperationalError("INSERT", {}, Exception("the disk is full"))

    monkeypatch.setattr(CallRows, "add", fail)
    assert connected.call(READ).status_code == 200
    assert calls(connected)[-1]["status"] == "consent"  # the one before the connection


@on_sqlite
def test_the_collection_can_be_filtered_and_sorted(alice, provider, books):
    for number, status in enumerate((200, 500, 200)):
        provider.script("probe", Reply(status, {}))
        alice.call(SEARCH, {"q": str(number)})
    assert len(calls(alice, where={"status": "failed"})) == 1
    assert [one["credits"] for one in calls(alice, sort="-credits")] == [3, 3, 0]
    newest = calls(alice, sort="-createdAt", limit=1)
    assert newest == calls(alice)[-1:]
