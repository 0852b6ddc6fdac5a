"""How much one user has running at once: over all workers, and freed however it ends."""

import gc
import json
import os
import signal
import time
import weakref
from contextlib import contextmanager
from dataclasses import replace

import gevent
import psycopg
import pytest
import requests
from gevent.event import Event
from sqlalchemy import func, make_url, select

from service.auth.tokens import issue
from service.chat.models import Claim
from service.chat.turn import over_limit
from service.database.sqlite import writer_lock
from service.extensions import db
from service.integrations.declare.example import File
from service.limits import concurrency as module
from service.limits.advisory import AdvisoryLocks
from service.limits.concurrency import ConcurrencyLimits, TooManyAtOnce
from service.web.errors import RateLimited
from tests import model_streams
from tests.integrations.scripted_vendor import Said, ScriptedVendor
from tests.people import Person
from tests.services import Service, on_sqlite, settings_for, wait_for
from tests.upstream import Answer

GEOCODE = "/api/integrations/geocode-city"
PLACES = json.loads(File("open_meteo/places.json").content())
PICTURES = {"endpoint": "search-images", "body": {"query": "red kites"}}
LIMIT = pytest.mark.settings(calls_at_once=16)
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
def vendor():
    """A vendor that answers once the test opens the gate."""
    scripted = ScriptedVendor()
    scripted.gate = Event()

    def answer(_asked):
        scripted.gate.wait(30)
        return Said(PLACES)

    scripted.says(answer)
    yield scripted
    scripted.gate.set()
    scripted.stop()


@pytest.fixture
def stuck(app, vendor):
    """Calls of `geocode-city` hang."""
    app.extensions["vendor_settings"]["OPEN_METEO_GEOCODING_BASE_URL"] = vendor.url
    return vendor


@contextmanager
def calling(person: Person, vendor: ScriptedVendor, count: int):
    """So many calls that have all reached the vendor; they end with this context."""
    calls = [gevent.spawn(call, person, n) for n in range(count)]
    wait_for(lambda: len(vendor.seen) >= count)
    yield
    vendor.gate.set()
    assert [one.get().status_code for one in calls] == [200] * count


def call(person: Person, number: int):
    headers = {"Cache-Control": "no-cache"}
    return person.post(GEOCODE, {"city": f"Berlin {number}"}, headers=headers)


def is_limited(answer) -> bool:
    return (answer.status_code, answer.json["error"]) == (429, "rate_limited") and (
        int(answer.headers["Retry-After"]) >= 1
    )


@pytest.mark.settings(calls_at_once=3)
def test_the_call_above_the_limit_is_refused_and_those_of_other_users_are_not(
    app, alice, bob, stuck
):
    with calling(alice, stuck, 3):
        assert is_limited(call(alice, 9))
        hers = gevent.spawn(call, bob, 10)
        wait_for(lambda: len(stuck.seen) == 4)
    assert hers.get().status_code == 200
    assert call(alice, 11).status_code == 200
    assert len(alice.records("integration-calls")) == 4  # the refused one left no row


@on_sqlite
def test_a_stuck_vendor_leaves_room_for_the_others(app, alice, bob, stuck, monkeypatch):
    monkeypatch.setattr(module, "OF_INTEGRATION", 2)
    with calling(alice, stuck, 2):
        assert is_limited(call(bob, 9))
        assert (
            bob.post("/api/integrations/crypto-get-price", {"ids": ["bitcoin"]}).status_code != 429
        )
    assert call(bob, 9).status_code == 200, "their room is free again"


@on_sqlite
@pytest.mark.settings(calls_at_once=2)
def test_polls_of_jobs_wait_for_those_of_their_user(app, alice, bob, vendor, monkeypatch):
    def polled(_asked):
        vendor.gate.wait(30)
        return Said({"id": "run", "status": "running"})

    app.extensions["vendor_settings"] |= {"EXA_BASE_URL": vendor.url, "EXA_API_KEY": "k"}
    vendor.says({"id": "run", "status": "queued"})
    research = ("/api/integrations/neuralsearch-research", {"query": "kites"})
    jobs = [one.post(*research).json["data"]["jobId"] for one in (alice, bob)]
    hers, his = [f"/api/integrations/jobs/{job}" for job in jobs]
    vendor.says(polled)
    polls = [gevent.spawn(alice.get, hers) for _ in range(2)]
    wait_for(lambda: len(vendor.seen) == 4)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.2)
    assert is_limited(alice.get(hers))
    monkeypatch.setattr(module, "POLL_SECONDS", 30)
    polls += [gevent.spawn(alice.get, hers), gevent.spawn(bob.get, his)]
    wait_for(lambda: len(vendor.seen) == 5)
    vendor.gate.set()
    assert [poll.get().json["data"]["status"] for poll in polls] == ["running"] * 4
    assert len(vendor.seen) == 6


@on_postgresql
def test_calls_that_begin_together_have_no_more_room(app, monkeypatch):
    """Each waits for the lock of its user."""
    monkeypatch.setattr(module, "OF_INTEGRATION", 2)
    limits, end, refused = app.extensions["concurrency"], Event(), []

    def call_of(subject: str) -> None:
        try:
            with limits.call(subject, "geocoding"):
                end.wait()
        except RateLimited:
            refused.append(subject)

    calls = [gevent.spawn(call_of, f"user{n}") for n in range(5)]
    wait_for(lambda: len(limits._locks.held) + len(refused) == 5)
    assert (limits.count("calls"), len(refused)) == (2, 3)
    end.set()
    gevent.joinall(calls, raise_error=True)
    with limits.call("alice", "geocoding"), limits.call("bob", "geocoding"):
        assert limits.count("calls") == 2


@on_sqlite
@pytest.mark.settings(calls_at_once=1)
def test_the_owner_has_no_limit(app):
    held = [app.extensions["concurrency"].take("calls", "owner") for _ in range(5)]
    assert len(held) == 5


@on_postgresql
@LIMIT
def test_tickets_are_shared_and_end_with_the_connection_of_their_holder(app, settings):
    here, there = app.extensions["concurrency"], ConcurrencyLimits(app, settings)
    taken = [(here, there)[n % 2].take("calls", "alice") for n in range(settings.calls_at_once)]
    for limits in (here, there):
        with pytest.raises(RateLimited):
            limits.take("calls", "alice")
    taken.pop().free()
    there.take("calls", "alice")
    with pytest.raises(RateLimited):
        here.take("calls", "alice")
    _end_connection(settings.database_url, there)
    wait_for(lambda: _is_free(here))


@on_postgresql
@pytest.mark.settings(calls_at_once=1, rate_limits="calls=2/minute")
def test_what_is_refused_for_a_ticket_of_another_worker_is_not_counted(app, settings):
    here, there = app.extensions["concurrency"], ConcurrencyLimits(app, settings)
    taken = here.take("calls", "alice")
    for _ in range(3):
        with pytest.raises(TooManyAtOnce):
            there.take("calls", "alice")
    taken.free()
    wait_for(lambda: _is_free(there))  # the database has been told, and has not answered yet


@on_postgresql
@pytest.mark.settings(calls_at_once=1)
def test_a_worker_with_the_most_locks_counts_for_itself(app, settings, monkeypatch):
    """Locks share a table in PostgreSQL's memory: all sockets of a host would not fit into it."""
    monkeypatch.setattr(module, "MOST_LOCKS", 1)
    here, there = app.extensions["concurrency"], ConcurrencyLimits(app, settings)
    for subject in ("bob", "alice"):
        here.take("calls", subject)
    with pytest.raises(RateLimited):
        here.take("calls", "alice")
    with pytest.raises(RateLimited):
        there.take("calls", "bob")
    there.take("calls", "alice")


@on_sqlite
@pytest.mark.settings(calls_at_once=1, rate_limits="calls=1/minute")
def test_what_is_refused_takes_no_ticket(app):
    limits, rates = app.extensions["concurrency"], app.extensions["rates"]
    limits.take("calls", "alice").free()
    for _ in range(3):
        with pytest.raises(RateLimited, match="made too many calls"):
            limits.take("calls", "alice")
    assert limits.count("calls") == 0
    rates.give_back("calls", "alice")  # what needed nothing is not refused for it afterwards


def _end_connection(url: str, limits: ConcurrencyLimits) -> None:
    pid = limits._locks._connection.info.backend_pid
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", [pid])


def _is_free(limits: ConcurrencyLimits) -> bool:
    try:
        limits.take("calls", "alice").free()
    except RateLimited:
        return False
    return True


@on_postgresql
@LIMIT
def test_a_worker_takes_its_tickets_again_after_its_connection_was_lost(app, settings):
    here, there = app.extensions["concurrency"], ConcurrencyLimits(app, settings)
    taken = [here.take("calls", "alice") for _ in range(settings.calls_at_once)]
    lost = weakref.ref(here._locks._connection)
    _end_connection(settings.database_url, here)
    with pytest.raises(RateLimited):  # its own count
        here.take("calls", "alice")

    def is_back() -> bool:
        here.take("turns", "bob").free()  # let in without a lock, then on a new connection
        return here._locks._connection is not None

    wait_for(is_back)
    with pytest.raises(RateLimited):
        there.take("calls", "alice")
    assert len(taken) == settings.calls_at_once
    gc.collect()
    assert lost() is None


@on_postgresql
def test_a_ticket_that_is_given_back_while_the_database_is_asked_is_free_soon(settings, app):
    """And it is given back without waiting, because whoever gives it back may be killed."""
    locks = AdvisoryLocks(make_url(settings.database_url))
    lock = locks.take("calls:alice", range(1))
    asking = gevent.spawn(locks.take, "calls:bob", range(1))
    gevent.sleep(0)
    assert locks._turn.locked()
    locks.free(lock)
    assert not asking.ready()
    asking.get()
    assert lock not in locks.held
    there = AdvisoryLocks(make_url(settings.database_url))
    wait_for(lambda: there.take("calls:alice", range(1)) == lock)


@on_postgresql
def test_the_connection_with_the_locks_is_closed_with_them(app, settings, databases):
    limits = app.extensions["concurrency"]
    ticket = limits.take("calls", "alice")
    name = make_url(settings.database_url).database
    asked = f"FROM pg_stat_activity WHERE datname = '{name}' AND query LIKE '%advisory%'"
    assert databases.cluster.execute(f"SELECT count(*) {asked}") == "1"
    limits.close()
    wait_for(lambda: databases.cluster.execute(f"SELECT count(*) {asked}") == "0")
    ticket.free()


@on_sqlite
def test_nobody_is_refused_because_the_locks_are_away(app, settings, capfd):
    """And nobody queues for them: the database is asked once in a while."""
    away = replace(settings, database_url="postgresql+psycopg://app@/none?host=/nonexistent")
    limits = ConcurrencyLimits(app, away)
    assert [limits.take("calls", "alice") for _ in range(3)]
    assert capfd.readouterr().err.count("limits not shared") == 1


def model(seen):
    """Asks for pictures, which somebody has to allow; anything else it greets."""
    if "pictures" in str(seen.json["messages"][-1]["content"]):
        return Answer(model_streams.anthropic_call("integrations__call", PICTURES))
    return Answer(model_streams.anthropic("Hello."))


@pytest.mark.settings(turns_at_once=1)
def test_a_turn_that_waits_for_its_user_counts(app, alice, bob, served_by):
    """The message that is refused has no claim and no hold, and is answered later."""
    served_by.answers = [model]
    waiting, chat = alice.new_chat(), alice.new_chat()
    first = gevent.spawn(alice.turn, waiting, "pictures, please")
    wait_for(lambda: len(served_by.seen) == 1 and alice.records("ai-chats"))
    refused = alice.ask(chat, "hello")
    assert is_limited(refused)
    assert refused.json["message"].startswith("At most 1 of your replies may run at once.")
    [running] = app.extensions["runs"]
    again = {"userMessageId": running.question.user_message_id}
    assert alice.ask(waiting, "pictures, please", **again).status_code == 409
    with app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Claim)) == 1
        db.session.rollback()
    assert bob.turn(bob.new_chat(), "hello")[-1]["type"] == "finish"
    alice.post(f"/api/ai/chat/{waiting}/stop")
    assert first.get()[-1]["type"] == "abort"
    wait_for(lambda: not app.extensions["runs"])
    assert alice.turn(chat, "hello")[-1]["type"] == "finish"


@contextmanager
def no_claims(app, settings):
    """Nobody can claim a message of alice's until this context ends."""
    if settings.database_url.startswith("sqlite"):
        with writer_lock:
            yield
        return
    with psycopg.connect(settings.database_url.replace("+psycopg", "")) as connection:
        connection.execute("SELECT seq FROM users WHERE subject = 'alice' FOR UPDATE")
        yield


@pytest.mark.settings(turns_at_once=2)
def test_a_message_of_which_others_are_being_let_in_is_not_over_the_limit(
    app, settings, alice, served_by, monkeypatch
):
    """There is no claim yet of those that have the tickets."""
    monkeypatch.setattr(over_limit, "PATIENCE_SECONDS", 60)
    gate, chat = Event(), alice.new_chat()
    served_by.answers = [lambda _: gate.wait(10) and Answer(model_streams.anthropic("Hello."))]
    with no_claims(app, settings):
        asked = [gevent.spawn(alice.ask, chat, "hi", userMessageId="u") for _ in range(5)]
        gevent.sleep(0.3)
        assert [one for one in asked if one.ready()] == []
    answers = [one.get() for one in asked]
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    gate.set()
    assert [answer.get_data() for answer in answers]
    wait_for(lambda: not app.extensions["runs"])


@on_sqlite
@pytest.mark.settings(turns_at_once=1)
def test_a_message_waits_for_others_that_are_being_let_in_for_a_second_at_most(
    app, settings, alice, served_by
):
    served_by.answers = [Answer(model_streams.anthropic("Hello."))]
    chat = alice.new_chat()
    with no_claims(app, settings):
        first = gevent.spawn(alice.ask, chat, "hi")
        wait_for(lambda: app.extensions["concurrency"].count("turns"))
        began = time.monotonic()
        assert is_limited(alice.ask(chat, "another message"))
        assert 0.9 < time.monotonic() - began < 10
    assert first.get().get_data()
    wait_for(lambda: not app.extensions["runs"])


def test_the_tickets_of_killed_workers_are_free_again(databases, vendor):
    url = databases.make("postgresql")
    settings = {"CALLS_AT_ONCE": 2, "OPEN_METEO_GEOCODING_BASE_URL": vendor.url}
    with Service(url, WEB_CONCURRENCY=2, **settings) as service:
        service.start()
        calls = [gevent.spawn(status_of_call, service, n) for n in range(2)]
        wait_for(lambda: len(vendor.seen) == 2)
        assert status_of_call(service, 2) == 429
        before = service.workers
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        vendor.gate.set()
        wait_for(lambda: status_of_call(service, 3) == 200)
        gevent.joinall(calls)


@pytest.mark.parametrize("count", [1, 2])
def test_a_second_worker_on_sqlite_is_warned_of(databases, count):
    with Service(databases.make("sqlite"), WEB_CONCURRENCY=count) as service:
        service.start()
        lines = [
            json.loads(line) for line in service.log.read_text().splitlines() if line[:1] == "{"
        ]
        warned = [line for line in lines if line["event"] == "SQLite serves one worker"]
        assert [line["setting"] for line in warned] == ["WEB_CONCURRENCY"] * len(warned)
        assert (len(warned) > 0) == (count > 1)


def status_of_call(service: Service, number: int) -> int | None:
    """None if the connection broke."""
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    headers = {"Authorization": f"Bearer {token}", "Cache-Control": "no-cache"}
    body = {"city": f"Berlin {number}"}
    try:
        return requests.post(
            service.url + GEOCODE, json=body, headers=headers, timeout=60
        ).status_code
    except requests.RequestException:
        return None
