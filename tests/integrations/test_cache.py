"""An answer is given again for as long as its endpoint declares, to whom it declares."""

from dataclasses import replace

import gevent
import pytest
from gevent.event import Event
from sqlalchemy import delete, func, insert, select, text, update

from service.app_keys import APP_SETTINGS
from service.auth.users import rights_cache
from service.database.clock import current_time, from_now
from service.extensions import db
from service.integrations.calling import answer_sweep, breaker, kept_answers
from service.integrations.declare.cache import Cache
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import READ
from service.integrations.declare.setting import VENDOR_SETTINGS
from service.integrations.declare.shape import Int, Maybe, Shape
from service.integrations.models import Breaker, IdempotencyKey, KeptAnswer
from service.integrations.vendors.github import visibility
from service.sealing.seal import Sealer
from service.times import now
from service.upkeep import rotation, sweeping
from tests.app_database import execute_write, rows
from tests.integrations import acme
from tests.integrations.acme import WEIGHTS, weights
from tests.integrations.scripted_vendor import Said
from tests.mcp.era_clients import Speaker
from tests.services import on_sqlite, wait_for
from tests.user_erasure import erase

pytestmark = pytest.mark.settings(extensions=acme.__name__)
IRON = {"material": "iron"}
OTHERS = {"anvils": [{"id": "a-2", "weight": {"kg": 60}, "maker": None}]}
FRESH = {"Cache-Control": "no-cache"}
HIT = {"X-Cache": "hit", "Age": "0"}


@pytest.fixture
def keeping(app, vendor):
    """Declare that the list of anvils is kept."""

    def declare(shared: bool = True, **facts):
        kept = replace(weights, cache=Cache(seconds=60, shared=shared), **facts)
        app.extensions["proxy"].catalog = Catalog([kept])
        vendor.says(WEIGHTS, OTHERS)
        return vendor

    return declare


def anvils(person, body=IRON, **options):
    return person.post("/api/integrations/anvils-list", body, **options)


def ids(response):
    assert response.status_code == 200, response.json
    return [one["id"] for one in response.json["data"]["anvils"]]


def told(response):
    return {name: response.headers[name] for name in HIT if name in response.headers}


def balance(person):
    return person.get("/api/credits").json["balance"]


def test_an_answer_is_given_again_to_everybody_and_costs_them_nothing(app, alice, bob, keeping):
    vendor = keeping(access=READ, credits=2)
    assert told(first := anvils(alice)) == {}
    execute_write(app, update(KeptAnswer).values(stored_at=from_now(-90)))
    again = anvils(bob, {**IRON, "most": 10})  # the default
    assert (again.json, len(vendor.seen)) == (first.json, 1)
    assert told(again) == {"X-Cache": "hit", "Age": "90"}
    spent = [APP_SETTINGS.of(app).starting_credits - balance(one) for one in (alice, bob)]
    assert spent == [2, 0]
    assert ids(anvils(bob, {"material": "steel"})) == ["a-2"]


@on_sqlite
def test_a_kept_answer_is_sent_as_it_is_stored(app, alice, keeping):
    keeping()
    first, again = anvils(alice), anvils(alice)
    assert first.data == again.data
    stored = '{"anvils": [], "as": "stored"}'  # the spaces show that it is not encoded again
    execute_write(app, update(KeptAnswer).values(answer=stored))
    assert anvils(alice).text == f'{{"success":true,"data":{stored}}}\n'


@on_sqlite
def test_a_tool_gets_a_kept_answer_as_a_value(alice, keeping):
    vendor = keeping()
    calls = {"endpoint": "anvils-list", "body": IRON}
    for _ in "ab":  # made, then kept
        result = Speaker(alice, is_modern=True).call("integrations_call", **calls)
        assert [one["id"] for one in result["structuredContent"]["anvils"]] == ["a-1"], result
    assert len(vendor.seen) == 1


@on_sqlite
def test_a_call_with_a_key_repeats_its_answer_after_the_kept_one_has_expired(app, alice, keeping):
    vendor, once = keeping(), {"Idempotency-Key": "one"}
    anvils(alice)
    assert ids(anvils(alice, headers=once)) == ["a-1"]
    execute_write(app, delete(KeptAnswer))
    assert ids(anvils(alice, headers=once)) == ["a-1"]
    assert len(vendor.seen) == 1


def test_a_user_s_own_answer_is_sealed_for_this_user_and_erased(app, alice, bob, keeping):
    keeping(shared=False)
    assert [ids(anvils(one)) for one in (alice, bob, alice)] == [["a-1"], ["a-2"], ["a-1"]]
    found = rows(app, select(KeptAnswer))
    assert [(row.answer, row.sealed[:2]) for row in found] == [(None, "t:")] * 2
    keys = (("new", bytes(32)), *APP_SETTINGS.of(app).token_encryption_keys)
    with app.app_context():
        assert rotation.rotate(Sealer(keys)) == rotation.Rotation(resealed=2, unopened=0)
    erase(app)
    assert [row.user_id for row in rows(app, select(KeptAnswer))] == ["bob"]


@on_sqlite
def test_a_user_who_was_erased_meanwhile_leaves_no_kept_answer(app, alice, keeping):
    keeping(shared=False)
    for _ in range(2):  # the first makes the user's row
        anvils(alice)
    known = rights_cache.peek("alice")
    assert known
    erase(app)
    rights_cache._rights["alice"] = known, float("inf")  # as in another worker
    anvils(alice)
    assert rows(app, select(KeptAnswer)) == []


@on_sqlite
def test_a_kept_answer_of_an_earlier_form_is_not_given(app, alice, keeping):
    keeping()
    anvils(alice)
    wider = Shape(weights.gives, count=Maybe(Int("count")))
    keeping(gives=wider)
    assert told(answer := anvils(alice)) == {}
    assert answer.json["data"]["count"] is None


@on_sqlite
def test_a_kept_answer_whose_sealing_key_is_gone_is_asked_for_again(app, alice, keeping):
    keeping(shared=False)
    anvils(alice)
    execute_write(app, update(KeptAnswer).values(sealed="lost:AAAA"))
    assert ids(anvils(alice)) == ["a-2"]


def test_a_kept_answer_is_given_until_it_expires_and_then_swept(app, alice, keeping):
    vendor = keeping()
    assert [ids(anvils(alice)) for _ in "ab"] == [["a-1"]] * 2
    execute_write(app, update(KeptAnswer).values(expires_at=current_time()))
    assert ids(anvils(alice)) == ["a-2"]
    assert len(vendor.seen) == 2
    execute_write(app, update(KeptAnswer).values(expires_at=current_time()))
    with app.app_context():
        sweeping.sweep()
    assert rows(app, select(KeptAnswer)) == []


def test_a_clock_set_back_keeps_no_answer_longer(app, alice, keeping):
    keeping()
    anvils(alice)
    later = {"stored_at": from_now(3600), "expires_at": from_now(3660)}
    execute_write(app, update(KeptAnswer).values(**later))
    assert ids(anvils(alice)) == ["a-2"]


@on_sqlite
def test_a_fresh_answer_replaces_the_kept_one_for_everybody(alice, bob, keeping):
    vendor = keeping()
    anvils(alice)
    assert ids(anvils(alice, headers=FRESH)) == ["a-2"]
    got = bob.get("/api/integrations/anvils-list?material=iron")
    assert (ids(got), told(got), len(vendor.seen)) == (["a-2"], HIT, 2)


@on_sqlite
def test_a_kept_answer_is_given_while_the_breaker_is_open(app, alice, keeping):
    vendor = keeping()
    anvils(alice)
    vendor.says(Said({}, 500))
    failed = [anvils(alice, headers=FRESH).status_code for _ in range(breaker.FAILURES)]
    assert failed == [502] * breaker.FAILURES
    assert ids(anvils(alice)) == ["a-1"]
    execute_write(app, delete(KeptAnswer))
    asked = len(vendor.seen)
    assert (anvils(alice).json["upstreamStatus"], len(vendor.seen)) == (None, asked)


@on_sqlite
def test_neither_a_failure_nor_a_large_answer_is_kept(app, alice, keeping):
    vendor = keeping()
    maker = "x" * kept_answers.LARGEST_BYTES
    large = {"anvils": [{"id": "a-1", "weight": {"kg": 50}, "maker": maker}] * 2}
    vendor.says(Said({}, 400), large, WEIGHTS)
    assert [anvils(alice).status_code for _ in "abc"] == [400, 200, 200]
    assert (len(vendor.seen), len(rows(app, select(KeptAnswer)))) == (3, 1)


def test_equal_calls_at_once_ask_once(app, alice, bob, keeping, monkeypatch):
    monkeypatch.setattr(kept_answers, "LARGEST_BYTES", 10)  # also for an answer that is too large
    vendor, may_answer = keeping(), Event()

    def answer(asked):
        may_answer.wait(10)
        return Said(WEIGHTS)

    vendor.says(answer)
    calls = [gevent.spawn(anvils, one) for one in (alice, bob, alice, bob)]
    running = app.extensions["proxy"]._lookups._running
    wait_for(lambda: [lookup.ended.linkcount() for lookup in running.values()] == [3])
    wait_for(lambda: vendor.seen)
    with app.app_context():
        assert db.engine.pool.checkedout() == 0, "who waits has a connection"
    may_answer.set()
    assert [ids(call.get(timeout=10)) for call in calls] == [["a-1"]] * 4
    assert len(vendor.seen) == 1
    assert sorted(bool(told(call.value)) for call in calls) == [False, True, True, True]


@on_sqlite
def test_the_next_of_equal_calls_is_made_where_the_first_has_failed(alice, bob, keeping):
    vendor = keeping()
    vendor.says(Said({}, 400), WEIGHTS)
    calls = [gevent.spawn(anvils, one) for one in (alice, bob, alice)]
    statuses = sorted(call.get(timeout=10).status_code for call in calls)
    assert (statuses, len(vendor.seen)) == ([200, 200, 400], 2)


@on_sqlite
def test_waiting_for_an_equal_call_ends_at_the_deadline(alice, bob, keeping):
    vendor, may_answer = keeping(), Event()

    def answer(asked):
        may_answer.wait(10)
        return Said(WEIGHTS)

    vendor.says(answer)
    asking = gevent.spawn(anvils, alice)
    wait_for(lambda: vendor.seen)
    keeping(seconds=0.2)
    assert anvils(bob).json["error"] == "upstream_timeout"
    may_answer.set()
    assert (ids(asking.get(timeout=10)), len(vendor.seen)) == (["a-1"], 1)


@on_sqlite
def test_a_call_that_has_waited_long_for_an_equal_one_is_no_failure_of_the_vendor(
    app, alice, keeping
):
    """The vendor would get too little time to answer."""
    vendor = keeping(seconds=2)

    def answer(asked):
        gevent.sleep(10 if len(vendor.seen) == 1 else 0.5)
        return Said(WEIGHTS)

    vendor.says(answer)
    hanging = gevent.spawn(anvils, alice)
    wait_for(lambda: vendor.seen)
    assert anvils(alice).json["error"] == "upstream_timeout"
    assert hanging.get(timeout=10).json["error"] == "upstream_timeout"
    assert (rows(app, select(Breaker.failures)), len(vendor.seen)) == ([1], 1)
    assert ids(anvils(alice)) == ["a-1"]


@on_sqlite
def test_an_answer_of_another_account_is_not_given(app, alice, keeping):
    keeping()
    anvils(alice)
    VENDOR_SETTINGS.of(app)["ACME_API_KEY"] = "another-account"
    assert ids(anvils(alice)) == ["a-2"]


@on_sqlite
def test_the_workers_of_a_sandbox_share_their_answers(app, alice):
    proxy, kept = app.extensions["proxy"], replace(weights, cache=Cache(seconds=60, shared=True))
    proxy.catalog = Catalog(kept if item is weights else item for item in proxy.catalog)
    assert told(anvils(alice)) == {}
    listener, before = app.extensions["sandbox"], app.extensions["sandbox_url"]
    listener.stop()
    VENDOR_SETTINGS.set(app, {})
    assert listener.start() != before
    assert told(anvils(alice)) == HIT


@on_sqlite
def test_a_key_keeps_the_answer_that_was_kept(app, alice, keeping):
    vendor, key = keeping(), {"Idempotency-Key": "k-1"}
    anvils(alice)
    assert told(anvils(alice, headers=key)) == HIT
    with app.app_context():
        ends = db.session.scalar(select(IdempotencyKey.expires_at))
    assert (ends - now()).total_seconds() > 23 * 3600, "as that of a call which was made"
    execute_write(app, delete(KeptAnswer))
    assert ids(anvils(alice, headers=key)) == ["a-1"]
    assert anvils(alice, {"material": "steel"}, headers=key).status_code == 409
    assert len(vendor.seen) == 1


@on_sqlite
def test_what_is_checked_before_each_call_is_checked_for_a_kept_answer(ask, alice, vendor):
    body = {"owner": "octocat", "repo": "Hello-World"}
    vendor.says({"full_name": "octocat/Hello-World", "private": False}, [])
    commits = "/api/integrations/codehost-get-repository-commits"
    assert alice.post(commits, body).json["data"]["commits"] == []
    visibility.seen.clear()
    vendor.says({"full_name": "octocat/Hello-World", "private": True})
    assert alice.post(commits, body).status_code == 404
    vendor.says({"full_name": "octocat/Hello-World", "private": False})
    assert told(alice.post(commits, body)) == HIT
    assert len(vendor.seen) == 4


@on_sqlite
def test_an_answer_that_can_not_be_kept_is_given_all_the_same(app, alice, keeping):
    keeping(access=READ, credits=2)
    refuse = "BEGIN SELECT RAISE(ABORT, 'full'); END"
    execute_write(app, text(f"CREATE TRIGGER full BEFORE INSERT ON integration_answers {refuse}"))
    assert [ids(anvils(alice)) for _ in "ab"] == [["a-1"], ["a-2"]]
    assert balance(alice) == APP_SETTINGS.of(app).starting_credits - 4


def test_the_oldest_go_where_there_are_too_many_or_too_large_ones(app, monkeypatch):
    monkeypatch.setattr(answer_sweep, "MOST_ANSWERS", 4)
    monkeypatch.setattr(answer_sweep, "MOST_BYTES", 30)
    monkeypatch.setattr(answer_sweep, "BATCH", 2)
    for number in range(8):
        facts = {"key": f"k-{number}", "endpoint": "anvils-list", "size": 10, "answer": "{}"}
        times = {"stored_at": from_now(-number), "expires_at": from_now(60)}
        execute_write(app, insert(KeptAnswer).values(**facts, **times))
    with app.app_context():
        sweeping.sweep()
    assert sorted(row.key for row in rows(app, select(KeptAnswer))) == ["k-0", "k-1", "k-2"]
    execute_write(app, update(KeptAnswer).values(size=1))
    columns = "endpoint, size, stored_at, expires_at"
    copies = f"SELECT 'n-' || key, {columns} FROM integration_answers"  # noqa: S608
    execute_write(app, text(f"INSERT INTO integration_answers (key, {columns}) {copies}"))
    with app.app_context():
        answer_sweep.trim()
        assert db.session.scalar(select(func.count()).select_from(KeptAnswer)) == 4
        db.session.commit()
