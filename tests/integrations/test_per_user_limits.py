"""A user may ask a vendor so often in a window, over all workers; kept answers don't count."""

from dataclasses import replace

import gevent
import pytest
from sqlalchemy import delete, select, update

from service.auth.users import rights_cache
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import db
from service.integrations.calling import breaker
from service.integrations.calling.breaker import FAILURES
from service.integrations.declare.cache import Cache
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.limit import Limit
from service.integrations.models import Breaker, CountedCalls, KeptAnswer
from service.upkeep import sweeping
from tests.app_database import execute_write
from tests.integrations import acme
from tests.integrations.acme import WEIGHTS, weights
from tests.services import ENVIRONMENT, on_sqlite
from tests.user_erasure import erase

pytestmark = pytest.mark.settings(extensions=acme.__name__)


@pytest.fixture
def limited(app, vendor):
    """Declare a limit of the list of anvils."""

    def declare(calls: int, **facts):
        item = replace(weights, per_user=Limit(calls=calls, seconds=3600), **facts)
        app.extensions["proxy"].catalog = Catalog([item])
        vendor.says(WEIGHTS)
        return vendor

    return declare


def anvils(person, material="iron", **options):
    return person.post("/api/integrations/anvils-list", {"material": material}, **options)


def statuses(person, *materials):
    return [anvils(person, material).status_code for material in materials]


def counted(app):
    with app.app_context():
        found = db.session.execute(select(CountedCalls.user_id, CountedCalls.calls)).all()
        db.session.commit()
    return {row.user_id: row.calls for row in found}


@on_sqlite
def test_a_call_over_the_limit_is_refused_before_the_vendor_is_asked(app, alice, bob, limited):
    vendor = limited(2)
    assert statuses(alice, "a", "b") == [200, 200]
    refused = anvils(alice)
    assert (refused.status_code, refused.json["error"]) == (429, "rate_limited")
    assert 3590 <= int(refused.headers["Retry-After"]) <= 3600
    assert statuses(bob, "a") == [200]
    assert (len(vendor.seen), counted(app)) == (3, {"alice": 2, "bob": 1})


@on_sqlite
def test_the_owner_has_no_limit_because_a_gateway_calls_for_its_users(app, alice, limited):
    limited(1)
    owner = replace(alice, subject="owner", token=ENVIRONMENT["OWNER_TOKEN"])
    assert statuses(owner, "a", "b") == [200, 200]


def test_a_new_window_begins_when_one_has_ended(app, alice, limited):
    limited(1)
    assert statuses(alice, "a", "b") == [200, 429]
    execute_write(app, update(CountedCalls).values(ends_at=current_time()))
    assert statuses(alice, "a", "b") == [200, 429]
    execute_write(app, update(CountedCalls).values(ends_at=current_time()))
    with app.app_context():
        sweeping.sweep()
    assert counted(app) == {}


@on_sqlite
def test_a_later_call_does_not_put_the_end_of_the_window_off(app, alice, limited):
    limited(2)
    anvils(alice, "a")
    execute_write(app, update(CountedCalls).values(ends_at=from_now(10)))
    assert statuses(alice, "b", "c") == [200, 429]
    assert int(anvils(alice).headers["Retry-After"]) <= 10


def test_a_clock_set_back_does_not_put_the_end_of_the_window_off(app, alice, limited):
    limited(1)
    assert statuses(alice, "a", "b") == [200, 429]
    execute_write(app, update(CountedCalls).values(ends_at=from_now(2 * 3600)))
    assert statuses(alice, "a", "b") == [200, 429]
    assert int(anvils(alice).headers["Retry-After"]) <= 3600


@on_sqlite
def test_an_erased_user_in_the_cache_of_a_worker_makes_no_call(app, alice, limited):
    vendor = limited(3)
    assert statuses(alice, "a", "b") == [200, 200]
    known = rights_cache.peek("alice")
    assert known
    erase(app)
    rights_cache._rights["alice"] = known, float("inf")
    assert statuses(alice, "c") == [401]
    assert (counted(app), len(vendor.seen)) == ({}, 2)


def test_calls_at_once_do_not_pass_the_limit(app, alice, limited):
    vendor = limited(3)
    calls = [gevent.spawn(anvils, alice, str(number)) for number in range(8)]
    codes = sorted(call.get(timeout=20).status_code for call in calls)
    assert (codes, len(vendor.seen)) == ([200] * 3 + [429] * 5, 3)


@on_sqlite
def test_answers_that_are_given_again_do_not_count(app, alice, limited):
    limited(1, cache=Cache(seconds=60, shared=True))
    assert statuses(alice, "a", "a", "a", "b") == [200, 200, 200, 429]
    execute_write(app, delete(KeptAnswer))
    assert statuses(alice, "a") == [429]


@on_sqlite
def test_a_refused_call_leaves_its_key_free(app, alice, limited):
    limited(1)
    anvils(alice)
    key = {"Idempotency-Key": "k-1"}
    assert [anvils(alice, headers=key).status_code for _ in "ab"] == [429, 429]
    execute_write(app, update(CountedCalls).values(ends_at=current_time()))
    assert [anvils(alice, headers=key).status_code for _ in "ab"] == [200, 200]
    assert counted(app) == {"alice": 1}


@pytest.fixture
def stopped(app, monkeypatch):
    """Open or close the breaker of an integration."""
    monkeypatch.setattr(breaker, "LOOK_SECONDS", 0)

    def change(integration: str, seconds: float) -> None:
        row = Breaker(integration=integration, failures=FAILURES, open_until=from_now(seconds))
        with app.app_context(), write_transaction() as session:
            session.merge(row)

    return change


def test_a_call_that_the_breaker_refuses_does_not_count(app, alice, limited, stopped):
    vendor = limited(1)
    stopped("anvils", 60)
    assert statuses(alice, "a", "b") == [502, 502]
    assert vendor.seen == []
    stopped("anvils", 0)
    assert statuses(alice, "c", "d") == [200, 429]
    assert (counted(app), len(vendor.seen)) == ({"alice": 1}, 1)


@on_sqlite
def test_a_call_whose_second_vendor_the_breaker_refuses_counts(app, alice, limited, stopped):
    other = replace(weights.vendor, integration="other")

    def ask_both(call, request, **_params):
        call.send(request)
        return call.at(other).send(request)

    vendor = limited(1, run=ask_both)
    stopped("other", 60)
    assert statuses(alice, "a", "b") == [502, 429]
    assert (counted(app), len(vendor.seen)) == ({"alice": 1}, 1)


@on_sqlite
def test_an_erased_user_leaves_no_count(app, alice, bob, limited):
    limited(5)
    statuses(alice, "a")
    statuses(bob, "a")
    erase(app)
    assert counted(app) == {"bob": 1}


@on_sqlite
def test_the_catalog_tells_of_cache_and_limit(alice, limited):
    limited(5, cache=Cache(seconds=60, shared=True))
    [entry] = alice.get("/api/integrations/catalog").json["endpoints"]
    assert entry["perUser"] == {"calls": 5, "seconds": 3600}
    assert entry["cache"] == {"seconds": 60, "shared": True}
