"""Whose claims and holds are lost, by the database's clock and by what the worker has observed."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
import time_machine
from sqlalchemy import delete, insert, select, update

from service.billing.models import Hold
from service.chat import claims
from service.chat.models import Claim, Lease
from service.chat.turn import lease_watch
from service.chat.turn.lease_watch import LEASE_WATCH, LOOK_SECONDS, UNRENEWED_SECONDS, LeaseWatch
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.times import now
from service.upkeep import sweeping


class Worker:
    """Somebody else's worker, and our watch on it; the monotonic clock is moved by hand."""

    def __init__(self, app, monkeypatch):
        self.app, self.moment, self.watch = app, 1000.0, LeaseWatch()
        clock = SimpleNamespace(monotonic=lambda: self.moment)
        monkeypatch.setattr(lease_watch, "time", clock)
        LEASE_WATCH.set(app, self.watch)

    def run(self, statement):
        with self.app.app_context(), write_transaction() as session:
            return session.execute(statement)

    def begins(self, chat, ends_in=15.0):
        self.run(insert(Lease).values(lease_id="other", expires_at=from_now(ends_in)))
        claim = {"turn_id": "turn", "user_id": "alice", "user_message_id": "u-1"}
        self.run(insert(Claim).values(**claim, chat_id=chat, lease_id="other"))

    def lease_ends(self, seconds):
        self.run(update(Lease).values(expires_at=from_now(seconds)))

    def look(self, seconds=UNRENEWED_SECONDS):
        for _ in range(int(seconds / LOOK_SECONDS) + 1):
            with self.app.app_context():
                self.watch.look()
            self.moment += LOOK_SECONDS
        self.moment -= LOOK_SECONDS

    def sweep(self):
        with self.app.app_context():
            return sweeping.sweep(self.watch.silent)

    def claims(self):
        with self.app.app_context():
            found = db.session.scalars(select(Claim.turn_id)).all()
            db.session.commit()
        return found


@pytest.fixture
def worker(app, monkeypatch):
    return Worker(app, monkeypatch)


def test_the_claim_of_a_dead_worker_is_swept(worker, chat):
    worker.begins(chat, ends_in=-1)
    worker.look()
    assert worker.sweep().turns == 1
    assert worker.claims() == []


def test_a_lease_that_has_only_lapsed_is_not_lost_yet(worker, alice, chat):
    worker.begins(chat, ends_in=-60)
    worker.look(UNRENEWED_SECONDS - 1)
    assert worker.sweep().turns == 0
    assert alice.ask(chat, "hello").status_code == 409
    worker.look(1)
    alice.messages = 0
    assert alice.turn(chat, "hello")[-1]["type"] == "finish"


def test_a_lease_that_was_not_renewed_is_not_lost_before_it_lapses(worker, alice, chat):
    worker.begins(chat, ends_in=15)
    worker.look()
    assert worker.watch.silent == {"other"}
    assert worker.sweep().turns == 0
    assert alice.ask(chat, "hello").status_code == 409


def test_a_worker_that_renews_its_lease_is_not_lost(worker, chat):
    worker.begins(chat, ends_in=-1)
    worker.look(UNRENEWED_SECONDS - 1)
    worker.lease_ends(-0.5)  # late, and lapsed again since
    worker.look(UNRENEWED_SECONDS - 1)
    assert worker.sweep().turns == 0


def test_a_worker_that_was_paused_looks_at_the_leases_anew(worker, chat):
    """So does who has found the database away: its looks did not come back."""
    worker.begins(chat, ends_in=-1)
    worker.look(UNRENEWED_SECONDS - 1)
    worker.moment += 20
    assert not worker.watch.is_steady
    worker.look(UNRENEWED_SECONDS - 1)
    assert (worker.watch.is_steady, worker.sweep().turns) == (False, 0)
    worker.look(1)
    assert (worker.watch.is_steady, worker.sweep().turns) == (True, 1)


def test_a_paused_worker_takes_no_claim_from_another(worker, chat):
    worker.begins(chat, ends_in=-1)
    worker.look()
    worker.moment += 20
    assert worker.sweep().turns == 0


def test_a_clock_set_back_does_not_keep_a_message_busy(worker, alice, chat):
    worker.begins(chat, ends_in=3600)
    worker.look()
    assert alice.turn(chat, "hello")[-1]["type"] == "finish"


def test_a_claim_without_a_lease_is_swept_and_keeps_nothing_busy(worker, alice, chat):
    worker.begins(chat)
    worker.run(delete(Lease))
    assert alice.turn(chat, "hello")[-1]["type"] == "finish"
    worker.run(insert(Claim).values(turn_id="t", user_id="alice", user_message_id="u-2",
                                    chat_id=chat, lease_id="gone"))  # fmt: skip
    assert worker.sweep().turns == 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("seconds", [30, -30, 3600, -3600])
def test_the_clocks_of_hosts_do_not_matter(worker, alice, chat, seconds):
    """One renews and holds by its clock; another, whose clock is wrong, looks and sweeps."""
    worker.begins(chat)
    hold = {"hold_id": "h", "account": "alice", "amount": 0, "ref": "r", "expires_at": from_now(60)}
    alice.get("/api/credits")
    worker.run(insert(Hold).values(**hold, used=0, state="open", created_at=now()))
    with time_machine.travel(now() + timedelta(seconds=seconds)):
        worker.look()
        swept = worker.sweep()
    assert (swept.turns, swept.holds) == (0, 0)
    assert claims.LEASE_SECONDS > UNRENEWED_SECONDS
