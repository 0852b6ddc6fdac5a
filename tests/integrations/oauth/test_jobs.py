"""Slow endpoints: tasks at the vendor, paid for when it accepts them, asked for afterwards."""

import sqlite3
import time
from contextlib import contextmanager
from dataclasses import replace

import gevent
import pytest
from sqlalchemy import event, update
from sqlalchemy.exc import OperationalError

from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling.job_rows import TooManyJobs
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.limit import Limit
from service.integrations.models import IntegrationJob
from service.times import now
from service.upkeep.sweeping import sweep
from tests.app_database import all_rows_as_text
from tests.integrations.oauth.probe import STARTED, TASK
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import READ, SEND, user
from tests.services import on_sqlite
from tests.user_erasure import erase

END = "UPDATE integration_jobs"


@on_sqlite
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
    assert "secret-text" not in all_rows_as_text(alice.app)


@on_sqlite
def test_head_asks_no_vendor_for_a_job(alice, provider):
    provider.script("probe", Reply(200, STARTED))
    path = f"/api/integrations/jobs/{alice.call(TASK).json['data']['jobId']}"
    asked = len(provider.seen)
    assert alice.person.request("HEAD", path).status_code == 405
    assert len(provider.seen) == asked


@on_sqlite
def test_what_is_known_when_a_task_begins_is_shown_while_it_runs_and_in_its_result(alice, provider):
    provider.script("probe", Reply(200, {**STARTED, "facts": {"model": "secret-model"}}))
    job = alice.call(TASK).json["data"]
    path = f"/api/integrations/jobs/{job['jobId']}"
    provider.script("probe", Reply(200, {"id": "task-1", "state": "running"}))
    running = {"jobId": job["jobId"], "status": "running", "model": "secret-model"}
    assert job == alice.person.get(path).json["data"] == running
    assert "secret-model" not in all_rows_as_text(alice.app)
    provider.script("probe", Reply(200, {"state": "done", "result": {"found": "a"}}))
    result = {"found": "a", "model": "secret-model"}
    for _ in range(2):
        assert alice.person.get(path).json["data"]["result"] == result


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
def test_a_task_whose_first_answer_is_failed_costs_nothing(alice, provider, books):
    headers = {"Idempotency-Key": "k"}
    provider.script("probe", Reply(200, {"id": "t", "state": "failed"}), Reply(200, STARTED))
    answer = alice.call(TASK, headers=headers)
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert (books.charges(), alice.person.get("/api/credits").json["balance"]) == ([], 1000)
    again = alice.call(TASK, headers=headers)
    assert (again.json["data"]["status"], books.charges()) == ("running", [-5])


def test_jobs_are_swept_some_days_after_their_time(app, alice, provider, books):
    paths = []
    for days in (0, 8):
        provider.script("probe", Reply(200, {**STARTED, "state": "done", "result": "secret-text"}))
        job = alice.call(TASK).json["data"]
        assert job["result"] == "secret-text"
        ended = update(IntegrationJob).where(IntegrationJob.job_id == job["jobId"])
        books.do(
            lambda session, ended=ended, days=days: session.execute(
                ended.values(ends_at=from_now(-days * 24 * 3600))
            )
        )
        paths.append(f"/api/integrations/jobs/{job['jobId']}")
    with app.app_context():
        sweep()
    assert [alice.person.get(path).status_code for path in paths] == [200, 404]


@on_sqlite
def test_a_wait_that_breaks_off_leaves_the_job(alice, provider, books):
    provider.script("probe", Reply(200, STARTED), Reply(400, {}))
    job = alice.call(TASK, {"wait": 2}).json["data"]
    assert (job["status"], books.charges()) == ("running", [-5])
    provider.script("probe", Reply(200, {"state": "done", "result": 1}))
    shown = alice.person.get(f"/api/integrations/jobs/{job['jobId']}").json["data"]
    assert (shown["status"], shown["result"]) == ("done", 1)


@on_sqlite
def test_half_a_character_in_a_result_is_kept(alice, provider):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]
    provider.script("probe", Reply(200, '{"state": "done", "result": "cut \\ud83d"}'))
    shown = [alice.person.get(f"/api/integrations/jobs/{job}").json["data"] for _ in range(2)]
    assert [one["result"] for one in shown] == ["cut \ud83d"] * 2


@on_sqlite
def test_nobody_is_kept_waiting_by_a_worker_that_ends(app, alice, provider):
    began = time.monotonic()
    provider.script("probe", Reply(200, STARTED))
    gevent.spawn_later(0.3, setattr, app.extensions["lifecycle"], "draining", True)
    job = alice.call(TASK, {"wait": 30}).json["data"]
    assert job["status"] == "running"
    assert time.monotonic() - began < 30  # which is what it has asked for


@on_sqlite
def test_a_wait_shorter_than_the_interval_looks_once_at_its_end(alice, provider):
    provider.script("probe", Reply(200, STARTED), Reply(200, {"state": "done", "result": 1}))
    assert alice.call(TASK, {"wait": 0.02}).json["data"]["status"] == "done"


@on_sqlite
def test_a_wait_asks_the_vendor_no_more_often_than_the_endpoint_declares(alice, provider):
    provider.script("probe", Reply(200, STARTED), *[Reply(200, {"state": "running"})] * 1000)
    assert alice.call(TASK, {"wait": 0.4}).json["data"]["status"] == "running"
    assert 2 <= len(provider.seen) <= 1 + 0.4 / 0.05


@on_sqlite
def test_a_job_that_had_its_time_has_timed_out_for_good(alice, provider, books):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]
    books.do(lambda session: session.merge(IntegrationJob(job_id=job, ends_at=now())))
    provider.script("probe", Reply(200, {"state": "running"}))
    for _ in range(2):
        answer = alice.person.get(f"/api/integrations/jobs/{job}")
        assert (answer.status_code, answer.json["error"]) == (504, "upstream_timeout")
    assert len(provider.seen) == 2


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
    assert (refused.status_code, refused.json["error"]) == (405, "method_not_allowed")


@on_sqlite
@pytest.mark.settings(jobs_at_once=1)
def test_one_job_more_is_refused_until_the_first_has_ended(alice, provider, books):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]
    refused = alice.call(TASK)
    assert (refused.status_code, refused.json["error"]) == (429, "rate_limited")
    assert int(refused.headers["Retry-After"]) > 0
    assert (len(provider.seen), books.charges()) == (1, [-5])
    provider.script("probe", Reply(200, {"state": "done", "result": {"found": "a"}}))
    assert alice.person.get(f"/api/integrations/jobs/{job}").json["data"]["status"] == "done"
    provider.script("probe", Reply(200, STARTED))
    assert alice.call(TASK).status_code == 200


@on_sqlite
@pytest.mark.settings(jobs_at_once=1, rate_limits="calls=2/minute")
def test_a_job_that_is_refused_counts_for_no_other_limit_and_is_not_logged(alice, provider, books):
    proxy = alice.app.extensions["proxy"]
    limited = replace(proxy.catalog.named(TASK), per_user=Limit(calls=2, seconds=3600))
    proxy.catalog = Catalog([limited])
    provider.script("probe", *[Reply(200, STARTED)] * 2)
    job = alice.call(TASK).json["data"]["jobId"]
    for _ in range(3):
        assert alice.call(TASK).json["message"] == TooManyJobs.message
    assert len(alice.person.records("integration-calls")) == 1
    books.do(lambda session: session.merge(IntegrationJob(job_id=job, ends_at=now())))
    assert alice.call(TASK).status_code == 200


@on_sqlite
@pytest.mark.settings(jobs_at_once=1)
def test_a_job_that_nobody_asked_for_again_takes_no_place_after_its_time(alice, provider, books):
    provider.script("probe", *[Reply(200, STARTED)] * 2)
    job = alice.call(TASK).json["data"]["jobId"]
    books.do(lambda session: session.merge(IntegrationJob(job_id=job, ends_at=now())))
    assert alice.call(TASK).status_code == 200


def test_of_two_polls_at_once_the_first_end_counts(app, alice, provider):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]
    shown = []

    def late(_seen):
        provider.script("probe", Reply(200, {"state": "done", "result": 1}))
        shown.append(user(app, provider, "alice").person.get(path).json["data"])
        return Reply(200, {"state": "failed"})

    path = f"/api/integrations/jobs/{job}"
    provider.script("probe", late)
    shown += [alice.person.get(path).json.get("data") for _ in "ab"]
    assert shown == [{"jobId": job, "status": "done", "result": 1}] * 3


@contextmanager
def refusing(app, *statements):
    """A database that sees statements with these beginnings in turn, and refuses the last one."""
    expected, refused = list(statements), []

    def refuse(_connection, _cursor, statement, *_more):
        if expected and statement.startswith(expected[0]):
            expected.pop(0)
            if not expected:
                refused.append(statement)
                raise OperationalError(statement, {}, sqlite3.OperationalError("refused"))

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", refuse)
    yield refused
    event.remove(engine, "before_cursor_execute", refuse)


@on_sqlite
def test_a_wait_that_the_database_breaks_off_leaves_the_job(app, alice, provider, books):
    done = Reply(200, {"state": "done", "result": 1, "dollars": 0.0001})
    provider.script("probe", Reply(200, STARTED), done)
    with refusing(app, END) as refused:
        job = alice.call(TASK, {"wait": 2}).json["data"]
    assert (job["status"], len(refused), books.charges()) == ("running", 1, [-5])
    provider.script("probe", done)
    shown = alice.person.get(f"/api/integrations/jobs/{job['jobId']}").json["data"]
    assert (shown["status"], shown["result"]) == ("done", 1)


@on_sqlite
def test_a_result_that_its_key_does_not_get_is_given_all_the_same(app, alice, provider):
    once = {"Idempotency-Key": "k"}
    provider.script("probe", Reply(200, STARTED), Reply(200, {"state": "done", "result": 1}))
    with refusing(app, END, "UPDATE idempotency_keys") as refused:
        job = alice.call(TASK, {"wait": 2}, headers=once).json["data"]
    assert (job["status"], job["result"], len(refused)) == ("done", 1, 1)
    again = alice.call(TASK, {"wait": 2}, headers=once).json["data"]
    assert again == {"jobId": job["jobId"], "status": "running"}
    assert alice.person.get(f"/api/integrations/jobs/{job['jobId']}").json["data"] == job


@on_sqlite
@pytest.mark.parametrize("state", ["running", "done"])
def test_a_job_whose_sealing_key_is_gone_is_refused_and_asks_nothing(alice, provider, books, state):
    started = {**STARTED, "state": state, "result": {"n": 1}, "facts": {"model": "m"}}
    provider.script("probe", Reply(200, started))
    job = alice.call(TASK).json["data"]["jobId"]
    lost = update(IntegrationJob).values(result="lost:AAAA")
    books.do(lambda session: session.execute(lost))
    answer = alice.person.get(f"/api/integrations/jobs/{job}")
    assert (answer.status_code, answer.json["error"]) == (503, "unavailable")
    assert "sealing key" in answer.json["message"]
    assert len(provider.seen) == 1


def test_the_end_of_a_job_is_not_stored_for_who_was_erased_meanwhile(app, alice, provider):
    provider.script("probe", Reply(200, STARTED))
    job = alice.call(TASK).json["data"]["jobId"]

    def done_after_an_erasure(_seen):
        erase(app)
        return Reply(200, {"state": "done", "result": 1})

    provider.script("probe", done_after_an_erasure)
    assert alice.person.get(f"/api/integrations/jobs/{job}").status_code == 401
    assert "alice" not in all_rows_as_text(app)
