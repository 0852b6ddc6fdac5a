"""What is sent twice with one `Idempotency-Key` is made, and charged, once."""

import pytest
from gevent.pool import Pool

from service.extensions import now
from service.integrations.models import IdempotencyKey
from tests.integrations.oauth.conftest import everything_in
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import MAIL, SEND, user
from tests.services import on_sqlite

SEARCH, TASK = "probe-search", "probe-task"
STARTED = {"id": "task-1"}


def has(books, subject: str) -> float:
    balance, held = books.has(subject)
    assert held == 0
    return balance


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


@on_sqlite
def test_half_a_character_in_an_answer_is_stored_like_any_other(alice, provider, books):
    provider.script("probe", Reply(200, '{"found": "cut \\ud83d"}'))
    answers = [once(alice) for _ in range(2)]
    assert [answer.json["data"] for answer in answers] == [{"found": "cut \ud83d"}] * 2
    assert (len(provider.seen), books.charges()) == (1, [-3])


def test_a_job_is_stored_before_it_is_waited_for(app, alice, provider, books):
    twins = []

    def meanwhile(_seen):
        twins.append(once(user(app, provider, "alice"), endpoint=TASK, body={"wait": 1}).json)
        return Reply(200, {"state": "done", "result": 1})

    provider.script("probe", Reply(200, STARTED), meanwhile)
    job = once(alice, endpoint=TASK, body={"wait": 1}).json["data"]
    assert (job["status"], books.charges()) == ("done", [-5])
    assert twins == [{"success": True, "data": {"jobId": job["jobId"], "status": "running"}}]
    assert once(alice, endpoint=TASK, body={"wait": 1}).json["data"] == job


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
