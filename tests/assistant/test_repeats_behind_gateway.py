"""Calls of an earlier try, asked for again behind a gateway: the other instance has their keys."""

import json
from datetime import timedelta

import gevent
import pytest
from sqlalchemy import update

from service.assistant.repeated_calls import NOT_AGAIN
from service.chat.external_calls import CALLED, LEFT
from service.chat.models import JournalEntry
from service.extensions import db
from service.times import now
from tests.assistant.endpoint_calls import DONE, allow, call
from tests.assistant.team_chat import JSON, POST
from tests.services import on_sqlite
from tests.upstream import Answer, ScriptedUpstream

pytestmark = on_sqlite
POSTED = {"success": True, "data": {"ts": "1.2"}}
UNKNOWN = {"success": False, "error": "conflict", "message": "?", "outcome": "unknown"}
FAILED = {"success": False, "error": "upstream_provider_error", "message": "It failed."}


def says(envelope, status="200 OK"):
    return Answer(json.dumps(envelope), status, JSON)


@pytest.fixture
def there():
    other = ScriptedUpstream()
    yield other
    other.stop()


@pytest.fixture
def configure(there) -> dict:
    return {"integrations_gateway_url": there.url, "approval_seconds": 2}


@pytest.fixture
def a_try(alice, begin, chat, served_by):
    """A try that makes a call, which its user allows if asked; returns what the model was told."""

    def trying(end, asks, answer=POST):
        served_by.answers = [answer, end]
        turn = begin(alice, chat, userMessageId="u")
        if asks:
            allow(alice, chat, turn.part("data-approval"))
        chunks = turn.end()
        assert asks or not any(one["type"] == "data-approval" for one in chunks)
        return next(c.get("output") or c["errorText"] for c in chunks if "tool-output" in c["type"])

    return trying


CUT = Answer("data: {}\n\n")


def keys(there):
    return [seen.headers["idempotency-key"] for seen in there.seen]


def outcomes(alice):
    return [entry["outcome"] for entry in alice.get("/api/ai/journal").json["entries"]]


def test_a_call_that_was_made_there_is_asked_for_under_its_key(alice, a_try, there):
    there.answers = [says(POSTED)]
    assert a_try(CUT, asks=True) == a_try(DONE, asks=False)
    assert keys(there) == keys(there)[:1] * 2
    assert outcomes(alice) == [CALLED]


def test_a_call_that_may_have_been_made_is_repeated_under_its_key(alice, a_try, there):
    there.answers = [says(FAILED, "502 Bad Gateway"), says(UNKNOWN, "409 Conflict")]
    a_try(CUT, asks=True)
    assert outcomes(alice) == [LEFT]
    assert a_try(DONE, asks=True) == NOT_AGAIN[LEFT]
    assert keys(there) == keys(there)[:1] * 2
    assert outcomes(alice) == [LEFT]


def test_a_call_that_was_made_there_after_all_has_one_entry(alice, a_try, there):
    there.answers = [says(FAILED, "502 Bad Gateway"), says(POSTED)]
    a_try(CUT, asks=True)
    assert a_try(DONE, asks=True) == POSTED["data"]
    assert outcomes(alice) == [CALLED]


def test_a_read_that_was_paid_for_there_is_asked_for_under_its_key(alice, a_try, there):
    search = call("search-images", query="owls")
    there.answers = [says({"success": True, "data": {"images": []}})]
    assert a_try(CUT, True, search) == a_try(DONE, False, search)
    assert keys(there) == keys(there)[:1] * 2
    assert outcomes(alice) == []


def test_a_read_of_which_no_answer_came_is_asked_for_under_its_key(alice, a_try, there):
    """The other instance may have been paid for it: a lost answer, or this worker was killed."""
    search = call("search-images", query="owls")
    there.answers = [says(FAILED, "502 Bad Gateway"), says({"success": True, "data": {"x": 1}})]
    a_try(CUT, True, search)
    assert a_try(CUT, True, search) == {"x": 1}
    assert a_try(DONE, False, search) == {"x": 1}
    assert keys(there) == keys(there)[:1] * 3
    assert outcomes(alice) == []


def test_an_answer_is_found_behind_a_read_without_one(alice, a_try, begin, chat, served_by, there):
    """Under the first key the other instance would make the read, and be paid, once more."""
    search = call("search-images", query="owls")
    there.answers = [says(FAILED, "502 Bad Gateway"), says({"success": True, "data": {"x": 1}})]
    served_by.answers = [search, search, CUT]
    turn = begin(alice, chat, userMessageId="u")
    allow(alice, chat, turn.part("data-approval"), "chat")
    turn.end()
    assert a_try(DONE, False, search) == {"x": 1}
    failed, answered, again = keys(there)
    assert (again == answered, failed == answered) == (True, False)


def test_a_read_that_was_refused_there_has_another_key_next_time(alice, a_try, there):
    search = call("search-images", query="owls")
    there.answers = [says(FAILED, "400 Bad Request"), says({"success": True, "data": {"x": 1}})]
    a_try(CUT, True, search)
    assert a_try(DONE, True, search) == {"x": 1}
    assert keys(there)[0] != keys(there)[1]


PICTURE = call("generate-image-flux-dev", prompt="a cat")
RUNS = {"success": True, "data": {"jobId": "job_1", "status": "running"}}
DRAWN = {"success": True, "data": {"jobId": "job_1", "status": "done", "result": {"images": []}}}


def test_a_job_that_runs_there_is_waited_for(alice, a_try, there):
    there.answers = [says(RUNS), says(RUNS), says(DRAWN)]
    a_try(CUT, True, PICTURE)
    assert a_try(DONE, False, PICTURE) == DRAWN["data"]
    path = "/api/integrations/jobs/job_1"
    assert [(seen.method, seen.path) for seen in there.seen][2:] == [("GET", path)]


def test_a_job_that_was_waited_for_there_is_not_waited_for_twice(a_try, there):
    """Else the limit of the tool would end a call whose job still runs."""
    draw = call("generate-image-flux-dev", prompt="a cat", wait=1)

    def waits(_seen):
        gevent.sleep(1)
        return says(RUNS)

    there.answers = [says(FAILED, "502 Bad Gateway"), waits, says(RUNS)]
    a_try(CUT, True, draw)
    assert a_try(DONE, True, draw) == RUNS["data"]
    assert [seen.method for seen in there.seen] == ["POST", "POST", "GET"]


def test_a_job_that_has_failed_there_is_an_error(alice, a_try, there):
    there.answers = [says(RUNS), says(RUNS), says(FAILED, "502 Bad Gateway")]
    a_try(CUT, True, PICTURE)
    assert a_try(DONE, False, PICTURE) == FAILED["message"]


AWAY = Answer("<h1>Bad Gateway</h1>", "502 Bad Gateway", {"Content-Type": "text/html"})
DRAINS = says({"success": False, "error": "draining", "message": "?"}, "503 Service Unavailable")


@pytest.mark.parametrize("away", [AWAY, DRAINS], ids=["its proxy", "it"])
def test_a_job_there_that_cannot_be_asked_about_for_a_moment_is_not_lost(a_try, there, away):
    draw = call("generate-image-flux-dev", prompt="a cat", wait=1)
    there.answers = [says(RUNS), says(RUNS), away, says(DRAWN)]
    a_try(CUT, True, draw)
    assert a_try(DONE, False, draw) == DRAWN["data"]


def test_a_job_there_that_cannot_be_asked_about_runs_for_all_that_is_known(a_try, there):
    draw = call("generate-image-flux-dev", prompt="a cat", wait=1)
    there.answers = [says(RUNS), says(RUNS), AWAY]
    a_try(CUT, True, draw)
    assert a_try(DONE, False, draw) == RUNS["data"]


def test_a_job_is_not_asked_about_again_by_a_token_that_is_refused_there(a_try, there):
    draw = call("generate-image-flux-dev", prompt="a cat", wait=3)
    there.answers = [says(RUNS), says(RUNS), says(FAILED, "401 Unauthorized")]
    a_try(CUT, True, draw)
    assert a_try(DONE, False, draw) == RUNS["data"]
    assert len(there.seen) == 3


def test_a_refusal_there_is_no_change(alice, a_try, there):
    for refusal in ("400 Bad Request", "401 Unauthorized"):
        there.answers = [says(FAILED, refusal)]
        a_try(CUT, asks=True)
        assert outcomes(alice) == []


def test_after_a_day_its_key_is_not_asked_for_there(app, a_try, there):
    there.answers = [says(POSTED)]
    a_try(CUT, asks=True)
    with app.app_context():
        db.session.execute(update(JournalEntry).values(created_at=now() - timedelta(days=1)))
        db.session.commit()
    assert a_try(DONE, asks=False) == NOT_AGAIN[CALLED]
    assert len(there.seen) == 1
