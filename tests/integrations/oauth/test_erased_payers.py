"""Calls of a user who is disabled or erased while they are made: paid once, and nothing left."""

from contextlib import ExitStack, contextmanager
from dataclasses import replace

import gevent
import gevent.event
import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError, OperationalError

from service import supervised
from service.auth.users import rights_cache
from service.billing import ledger
from service.billing.models import Account, Hold
from service.database import access
from service.database.access import write_transaction
from service.integrations.calling import lease_renewal
from service.integrations.calling.idempotency import KeyLease
from service.integrations.calling.lease_renewal import LeaseRenewal
from service.integrations.declare.catalog import Catalog
from service.integrations.models import Consent, IdempotencyKey, IntegrationJob
from service.web.errors import Unauthorized
from tests.app_database import all_rows_as_text
from tests.integrations.oauth.probe import SEARCH, STARTED, TASK, call_once, lapse, measured
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import SEND, user
from tests.services import on_sqlite, wait_for
from tests.user_erasure import disable, erase

on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


def meanwhile(provider, action, *arguments):
    """The vendor does this before it answers."""

    def answer(_seen):
        gevent.spawn(action, *arguments).join()
        return Reply(200, STARTED)

    provider.script("probe", answer)


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "k"}], ids=["without a key", "with a key"])
def test_a_task_of_a_user_who_was_disabled_meanwhile_is_paid_and_kept(
    app, alice, provider, books, key
):
    meanwhile(provider, disable, app)
    assert alice.call(TASK, headers=key).status_code == 200
    assert books.charges() == [-5]
    assert books.do(lambda session: session.scalar(select(IntegrationJob.charged))) == 5_000_000


def test_a_task_of_a_user_who_was_erased_meanwhile_is_paid_and_deleted(app, alice, provider, books):
    before = measured(TASK)
    meanwhile(provider, erase, app)
    alice.call(TASK)
    assert measured(TASK) - before == 5
    [account] = books.rows(Account)
    assert account.subject.startswith("erased-")
    assert books.charges(account.subject) == [-5]
    assert "alice" not in all_rows_as_text(app)


def test_an_erased_user_in_the_cache_of_a_worker_leaves_no_key_behind(app, alice, provider, books):
    for _ in range(2):  # the first makes the row
        alice.person.get("/api/ai/models")
    known = rights_cache.peek("alice")
    assert known
    erase(app)
    rights_cache._rights["alice"] = known, float("inf")
    assert call_once(alice, endpoint=SEARCH).status_code == 401
    assert provider.seen == []
    assert "alice" not in all_rows_as_text(app)


@on_postgresql
@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "k"}], ids=["without a key", "with a key"])
def test_a_call_during_an_erase_makes_no_account(app, alice, provider, books, key):
    """The first call that costs anything makes the account."""
    alice.payload(SEND)
    with hanging_erase(app, Consent):
        calling = gevent.spawn(alice.call, SEARCH, {"q": "x"}, headers=key)
        gevent.sleep(0.5)
    assert calling.get(timeout=30).status_code == 401
    assert "alice" not in all_rows_as_text(app)


@on_postgresql
@pytest.mark.parametrize("locked", [[Hold], [Hold, Account]], ids=["hold", "account"])
def test_an_erase_and_an_attempt_that_ends_do_not_lock_each_other_out(
    app, alice, provider, books, locked
):
    """An attempt that is given up locks its hold, then the account, then its key."""
    call_once(alice)
    hold, first = books.reserve(5, "call"), gevent.event.Event()

    def free(session):
        for model in locked:
            session.execute(select(model.seq).with_for_update())
        first.set()
        gevent.sleep(0.5)
        ledger.settle(session, hold, 0, "", {})
        session.execute(select(IdempotencyKey.seq).with_for_update())

    ending = gevent.spawn(books.do, free)
    first.wait()
    assert gevent.spawn(erase, app).get(timeout=30)
    ending.get(timeout=30)
    assert "alice" not in all_rows_as_text(app)


def test_an_attempt_that_has_lost_its_key_charges_nothing(app, alice, provider, books):
    """Its worker could not renew the key, and the same call was made again."""
    proxy = app.extensions["proxy"]
    safe = [replace(item, access=replace(item.access, idempotent=True)) for item in proxy.catalog]
    proxy.catalog = Catalog(safe)

    def again():
        lapse(books)
        assert call_once(user(app, provider, "alice")).status_code == 200

    meanwhile(provider, again)
    assert call_once(alice).status_code == 409
    assert (len(provider.seen), books.charges()) == (2, [-3])
    assert call_once(alice).status_code == 200


@on_sqlite
@pytest.mark.parametrize(
    "error", [Unauthorized(), IntegrityError("", {}, Exception()), ValueError()], ids=repr
)
def test_an_ending_that_is_refused_keeps_no_other_waiting(app, alice, monkeypatch, error):
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    monkeypatch.setattr(supervised, "RESTART_SECONDS", 0.01)
    monkeypatch.setattr(lease_renewal, "RETRY_SECONDS", 0.01)
    endpoint, stored = app.extensions["proxy"].catalog.named(SEARCH), []
    first, second = (KeyLease(None, "alice", endpoint, key, {}) for key in "ab")
    keeping = LeaseRenewal(app)

    def refused():
        raise error

    with keeping.renewing(first), keeping.renewing(second):
        keeping.store_later(first.holder, refused)
        keeping.store_later(second.holder, lambda: stored.append(True))
    wait_for(lambda: stored)
    wait_for(lambda: not keeping._greenlet)


@on_sqlite
def test_an_ending_is_given_up_when_its_time_is_over_and_keeps_no_other_waiting(
    app, alice, monkeypatch
):
    monkeypatch.setattr(lease_renewal, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(lease_renewal, "MOST_WRITES", 2)
    endpoint, stored = app.extensions["proxy"].catalog.named(SEARCH), []
    leases = [KeyLease(None, "alice", endpoint, key, {}) for key in "abc"]
    keeping = LeaseRenewal(app)
    with ExitStack() as renewed:
        for lease in leases:
            renewed.enter_context(keeping.renewing(lease))
        monkeypatch.setattr(lease_renewal, "PATIENCE_SECONDS", 0)
        assert keeping.store_later(leases[0].holder, lambda: stored.append(0))
        monkeypatch.setattr(lease_renewal, "PATIENCE_SECONDS", 300)
        assert keeping.store_later(leases[1].holder, lambda: stored.append(1))
        assert not keeping.store_later(leases[2].holder, lambda: stored.append(2))
    wait_for(lambda: not keeping._greenlet)
    assert stored == [1]


@on_sqlite
def test_two_late_writes_of_one_name_are_both_stored(app, monkeypatch):
    """As of a job at another instance whose begin was repeated with its key."""
    monkeypatch.setattr(lease_renewal, "RETRY_SECONDS", 0.01)
    lost = OperationalError("", {}, Exception(), connection_invalidated=True)
    away, stored, keeping = [lost], [], LeaseRenewal(app)

    def second():
        if away:
            raise away.pop()
        stored.append(2)

    keeping.store_later("adoption", lambda: stored.append(1))
    keeping.store_later("adoption", second)
    wait_for(lambda: not keeping._greenlet)
    assert stored == [1, 2]


@on_sqlite
def test_late_writes_of_one_holder_keep_their_order_and_let_others_pass(app, monkeypatch):
    """One of them may wait for a lock of its user, which can take minutes."""
    monkeypatch.setattr(lease_renewal, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(access, "BACKGROUND_SECONDS", 0.05)
    stored, keeping = [], LeaseRenewal(app)

    def first():
        gevent.sleep(0 if "another" in stored else 60)
        stored.append("begin")

    keeping.store_later("job", first)
    keeping.store_later("job", lambda: stored.append("end"))
    keeping.store_later("call", lambda: stored.append("another"))
    wait_for(lambda: not keeping._greenlet)
    assert stored == ["another", "begin", "end"]


@contextmanager
def hanging_erase(app, model):
    """An erase of alice has begun, and ends only after this."""
    with app.app_context(), write_transaction() as session:
        session.execute(select(model).with_for_update())
        erasing = gevent.spawn(erase, app)
        gevent.sleep(0.3)
        yield
    assert erasing.get(timeout=30)
