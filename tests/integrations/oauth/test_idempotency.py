"""What is sent twice with one `Idempotency-Key` is made, and charged, once."""

from dataclasses import replace

import gevent
import pytest
from gevent.pool import Pool
from sqlalchemy import select, update

from service.database import access
from service.database.clock import current_time
from service.integrations.calling import attempt, lease_renewal
from service.integrations.calling.idempotency import KeyLease
from service.integrations.declare.catalog import Catalog
from service.integrations.models import IdempotencyKey
from service.times import now
from service.upkeep.sweeping import sweep
from tests.app_database import all_rows_as_text
from tests.integrations.oauth.probe import STARTED, TASK, balance_of, call_once, lapse
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import MAIL, SEND, user
from tests.services import on_sqlite, wait_for


@on_sqlite
def test_the_same_key_and_body_is_one_call_and_one_charge(app, alice, provider, books):
    provider.script("probe", Reply(200, {"found": "something-secret"}))
    answers = [call_once(alice) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {200}
    told = {"success": True, "data": {"found": "something-secret"}}
    assert [answer.json for answer in answers] == [told] * 3
    assert (len(provider.seen), books.charges()) == (1, [-3])
    assert "something-secret" not in all_rows_as_text(app)


@on_sqlite
def test_the_same_key_with_another_body_is_a_conflict(alice, provider, books):
    first = {"q": "x", "wide": {"a": 1, "b": [2]}}
    assert call_once(alice, body=first).status_code == 200
    again = {"wide": {"b": [2], "a": 1}, "q": "x"}
    assert call_once(alice, body=again).json == call_once(alice, body=first).json
    for other in ({"q": "y"}, {}, {"q": "x", "wide": {"a": 1, "b": [3]}}):
        answer = call_once(alice, body=other)
        assert (answer.status_code, answer.json["error"]) == (409, "conflict")
    assert (len(provider.seen), books.charges()) == (1, [-3])


@on_sqlite
def test_a_key_belongs_to_one_user_and_one_endpoint(alice, bob, provider, books):
    alice.connect(SEND)
    assert call_once(alice).status_code == call_once(bob).status_code == 200
    assert call_once(alice, endpoint=SEND, body=MAIL).json["data"]["account"] == "one"
    assert call_once(alice, endpoint="send-email", body=MAIL).json["data"]["account"] == "one"
    assert (len(provider.asked("probe")), len(provider.asked("api"))) == (2, 1)
    assert (balance_of(books, "alice"), balance_of(books, "bob")) == (995, 997)


@on_sqlite
def test_a_key_lasts_a_day(app, alice, provider, books):
    assert call_once(alice).status_code == 200
    [row] = books.rows(IdempotencyKey)
    assert 23.9 < (row.expires_at - now()).total_seconds() / 3600 <= 24
    end_all = update(IdempotencyKey).values(expires_at=now())
    books.do(lambda session: session.execute(end_all))
    assert call_once(alice, body={"q": "other"}).status_code == 200
    assert len(provider.seen) == 2
    books.do(lambda session: session.execute(end_all))
    with app.app_context():
        sweep()
    assert books.rows(IdempotencyKey) == []


@on_sqlite
def test_a_key_whose_outcome_is_unknown_lasts_a_day_too(app, alice, provider, books):
    provider.script("probe", Reply(502, {}))
    assert call_once(alice).status_code == 502
    [row] = books.rows(IdempotencyKey)
    assert 23.9 < (row.expires_at - now()).total_seconds() / 3600 <= 24
    assert call_once(alice).json["outcome"] == "unknown"


@on_sqlite
@pytest.mark.parametrize("key", ["", "a\tb", "x" * 256, "\u00e9"])
def test_a_key_is_what_a_create_takes_too(alice, provider, key):
    answer = call_once(alice, key=key)
    assert (answer.status_code, "Idempotency-Key" in answer.json["details"]) == (400, True)
    assert provider.seen == []


@on_sqlite
def test_half_a_character_in_an_answer_is_stored_like_any_other(alice, provider, books):
    provider.script("probe", Reply(200, '{"found": "cut \\ud83d"}'))
    answers = [call_once(alice) for _ in range(2)]
    assert [answer.json["data"] for answer in answers] == [{"found": "cut \ud83d"}] * 2
    assert (len(provider.seen), books.charges()) == (1, [-3])


@on_sqlite
def test_a_job_is_stored_before_it_is_waited_for(app, alice, provider, books):
    twins = []

    def meanwhile(_seen):
        twins.append(call_once(user(app, provider, "alice"), endpoint=TASK, body={"wait": 1}).json)
        return Reply(200, {"state": "done", "result": 1})

    provider.script("probe", Reply(200, STARTED), meanwhile)
    job = call_once(alice, endpoint=TASK, body={"wait": 1}).json["data"]
    assert (job["status"], books.charges()) == ("done", [-5])
    assert twins == [{"success": True, "data": {"jobId": job["jobId"], "status": "running"}}]
    assert call_once(alice, endpoint=TASK, body={"wait": 1}).json["data"] == job


@pytest.mark.parametrize("status", [500, 400, 429])
@on_sqlite
def test_a_failure_is_not_stored(alice, provider, books, status):
    provider.script("probe", Reply(status, {}))
    assert call_once(alice).json["success"] is False
    assert call_once(alice).status_code == 200
    assert (len(provider.seen), books.charges()) == (2, [-3])


FAILS = [Reply(status, {}) for status in (401, 402, 403, 404, 409, 414, 422, 503)]


@pytest.mark.parametrize("reply", FAILS, ids=lambda reply: str(reply.status))
@on_sqlite
def test_a_refusal_of_the_vendors_own_frees_the_key(alice, provider, books, reply):
    provider.script("probe", reply)
    assert call_once(alice).json["success"] is False
    assert call_once(alice, body={"q": "other"}).status_code == 200
    assert (len(provider.seen), books.charges()) == (2, [-3])


UNCLEAR = {
    "gateway failed": Reply(502, {}),
    "gateway gave up": Reply(504, {}),
    "network gave up": Reply(524, {}),
    "waited too long": Reply(408, {}),
    "hung up": Reply(499, {}),
    "no JSON": Reply(200, "-"),
    "too large": Reply(200, '"' + "x" * (9 << 20) + '"'),
}


@on_sqlite
def test_what_may_have_been_done_is_not_done_again(alice, provider, books):
    for number, (name, reply) in enumerate(UNCLEAR.items()):
        provider.script("probe", reply)
        assert call_once(alice, key=name).status_code == 502, name
        for _ in range(2):
            answer = call_once(alice, key=name)
            told = (answer.status_code, answer.json["error"], answer.json["outcome"])
            assert told == (409, "conflict", "unknown"), name
        assert (len(provider.seen), books.charges()) == (2 * number + 1, [-3] * number), name
        assert call_once(alice, key=f"after: {name}").status_code == 200


@on_sqlite
def test_a_call_that_ran_out_of_time_is_not_made_again(app, alice, provider, books):
    proxy = app.extensions["proxy"]
    proxy.catalog = Catalog(replace(item, seconds=1) for item in proxy.catalog)
    provider.script("probe", lambda _seen: gevent.sleep(2))
    assert call_once(alice).status_code == 504
    assert call_once(alice).json["outcome"] == "unknown"
    assert (len(provider.seen), books.charges()) == (1, [])


@on_sqlite
def test_our_own_mistake_after_the_call_does_not_free_the_key(alice, provider, books, monkeypatch):
    monkeypatch.setattr(attempt, "encode", lambda _answer: 1 / 0)
    assert call_once(alice).status_code == 500
    monkeypatch.undo()
    assert call_once(alice).json["outcome"] == "unknown"
    assert (len(provider.seen), books.charges()) == (1, [])


@on_sqlite
def test_an_unreachable_vendor_frees_the_key(app, alice, provider, books):
    settings = app.extensions["vendor_settings"]
    settings["PROBE_BASE_URL"] = "http://127.0.0.1:9"
    assert call_once(alice).status_code == 502
    settings["PROBE_BASE_URL"] = provider.url
    assert (call_once(alice).status_code, books.charges()) == (200, [-3])


@on_sqlite
@pytest.mark.settings(starting_credits=2)
def test_a_call_that_can_not_be_paid_frees_the_key(alice, books):
    assert call_once(alice).status_code == 402
    assert books.rows(IdempotencyKey) == []


def test_an_attempt_that_has_lost_its_key_sends_nothing(app, alice, provider, books, monkeypatch):
    """Its worker stood still for longer than a lease, and somebody else has made the call."""
    leave = KeyLease.leave

    def late(self):
        monkeypatch.undo()
        lapse(books)
        assert call_once(user(app, provider, "alice")).status_code == 200
        leave(self)

    monkeypatch.setattr(KeyLease, "leave", late)
    assert call_once(alice).status_code == 409
    assert (len(provider.seen), books.charges()) == (1, [-3])
    assert call_once(alice).status_code == 200


def test_a_key_is_renewed_while_its_call_runs(alice, provider, books, monkeypatch):
    monkeypatch.setattr(lease_renewal, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(lease_renewal, "RETRY_SECONDS", 0.05)
    seen = []

    def long(_seen):
        lapse(books)
        wait_for(lambda: not has_lapsed(books))
        seen.append(True)

    provider.script("probe", long)
    assert call_once(alice).status_code == 200
    assert seen == [True]


@on_sqlite
def test_keys_are_renewed_while_a_late_write_waits_for_a_lock(
    app, alice, provider, books, monkeypatch
):
    monkeypatch.setattr(access, "BACKGROUND_SECONDS", 0.05)
    for name in ("RENEW_SECONDS", "RETRY_SECONDS"):
        monkeypatch.setattr(lease_renewal, name, 0.05)
    renewal = app.extensions["proxy"]._renewal

    def long(_seen):
        renewal.store_later("another", lambda: gevent.sleep(0 if renewed else 60))
        lapse(books)
        wait_for(lambda: not has_lapsed(books))
        renewed.append(True)

    renewed: list[bool] = []
    provider.script("probe", long)
    assert (call_once(alice).status_code, renewed) == (200, [True])
    wait_for(lambda: app.extensions["lifecycle"].is_done)


def has_lapsed(books) -> bool:
    lapsed = select(IdempotencyKey.held_until < current_time())
    return books.do(lambda session: session.scalar(lapsed))


@on_sqlite
def test_a_payload_is_not_stored(alice, provider, books):
    assert call_once(alice, endpoint=SEND, body=MAIL).json["data"]["requiresOAuth"]
    alice.connect(SEND)
    provider.script("api", Reply(401, {}))
    assert call_once(alice, endpoint=SEND, body=MAIL).json["data"]["requiresOAuth"]
    assert books.rows(IdempotencyKey) == []
    alice.connect(SEND)
    assert call_once(alice, endpoint=SEND, body=MAIL).json["data"]["account"] == "one"
    assert books.charges() == [-2]


def test_of_many_calls_with_one_key_at_the_same_time_one_is_made(app, provider, books):
    def call(_):
        answer = call_once(user(app, provider, "alice"))
        return answer.status_code, answer.json.get("data")

    answers = Pool(30).map(call, range(30))
    made = (200, {"asked": {"q": "x"}})
    assert made in answers
    assert set(map(str, answers)) <= {str(made), str((409, None))}
    assert (len(provider.seen), books.charges()) == (1, [-3])


@on_sqlite
def test_an_answer_whose_sealing_key_is_gone_is_refused_and_not_made_again(alice, provider, books):
    assert call_once(alice).status_code == 200
    lost = update(IdempotencyKey).values(answer="lost:AAAA")
    books.do(lambda session: session.execute(lost))
    again = call_once(alice)
    assert (again.status_code, again.json["error"]) == (503, "unavailable")
    assert "sealing key" in again.json["message"]
    assert (len(provider.seen), books.charges()) == (1, [-3])
