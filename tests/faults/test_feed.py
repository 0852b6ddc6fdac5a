"""Every change is sent once and in order, whatever is killed, disconnected or delayed."""

import signal

import gevent
import pytest
from sqlalchemy import make_url, update

from service.database.access import write_transaction
from service.extensions import db
from service.records import changes, outbox
from service.records.models import Outbox
from service.times import now
from tests.depth import depth
from tests.faults.database_rows import app_of, outbox_messages, stored_records
from tests.faults.processes import kill_oldest_worker
from tests.faults.writers import Crew
from tests.records.http_writer import HttpWriter
from tests.services import wait_for

CUT_LISTENERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE query LIKE 'LISTEN%' AND datname = current_database()"
)
HOLD_BACK = "SELECT pg_current_xact_id(), pg_sleep(2)"


@pytest.fixture
def cluster(databases):
    """Return a function that runs a statement in a service's PostgreSQL on another connection."""

    def execute(service, statement):
        url = make_url(service.database_url)
        if url.get_backend_name() == "postgresql":
            databases.cluster.execute(statement, url.database)

    return execute


@pytest.mark.parametrize(("kind", "workers"), [("postgresql", 2), ("sqlite", 1), ("sqlite", 2)])
def test_nothing_is_lost_or_repeated_whatever_is_killed(start, follow, cluster, kind, workers):
    service = start(kind, WEB_CONCURRENCY=workers)
    follower, crew = follow(service, "alice"), Crew(service, "alice", depth(40))
    disasters = [
        lambda: kill_oldest_worker(service),
        lambda: kill_oldest_worker(service),
        lambda: cluster(service, CUT_LISTENERS),
        lambda: gevent.spawn(cluster, service, HOLD_BACK),
        lambda: (service.stop(), service.start()),
    ]
    for number, disaster in enumerate(disasters, 1):
        wait_for(lambda n=number: crew.done >= 4 * depth(40) * n / 7, depth(60))
        disaster()
    crew.finish()
    check(service, crew, follower.replay)
    print(f"{kind}, {workers}: {len(follower.replay.changes)} changes, {follower.cuts} cuts")


def check(service, crew, replay):
    """Check that the subscriber has every change of the outbox once and in order."""
    with app_of(service.database_url) as app:
        records, written = stored_records(app, "alice"), outbox_messages("alice")
    crew.check(records)
    wait_for(lambda: len(replay.changes) >= len(written), 60)
    assert replay.changes == written
    assert len(set(replay.cursors)) == len(written) + 1
    assert replay.records == records


def test_changes_of_one_record_come_in_the_order_in_which_they_were_made(start, follow):
    service = start("postgresql", WEB_CONCURRENCY=2)
    writer = [HttpWriter(service, "alice") for _ in range(4)]
    note = writer[0].create("notes", title="contested")["recordId"]
    follower = follow(service, "alice")

    def update(one):
        with one.session:
            return [one.update("notes", note, text=str(n)) for n in range(depth(30))]

    jobs = [gevent.spawn(update, one) for one in writer]
    made = [record["updatedAt"] for job in jobs for record in job.get(timeout=60)]
    wait_for(lambda: len(follower.replay.changes) >= len(made))
    assert [record["updatedAt"] for _, record in follower.replay.changes] == sorted(made)
    with app_of(service.database_url) as app:
        assert follower.replay.records == stored_records(app, "alice")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_snapshot_and_what_follows_it_leave_no_gap(start, listen, cluster, kind):
    """For two seconds an open transaction keeps the feed behind the snapshots."""
    service = start(kind, WEB_CONCURRENCY=2)
    crew, holding = Crew(service, "alice"), gevent.spawn(cluster, service, HOLD_BACK)
    replays = []
    for _ in range(5):
        listener = listen(service, "alice")
        for id in range(5):
            replays.append(listener.subscribe("notes", id))
            goal = crew.done + depth(4)
            wait_for(lambda goal=goal: crew.done >= goal)
    crew.stop()
    holding.get()
    with app_of(service.database_url) as app:
        records = stored_records(app, "alice")
    for replay in replays:
        wait_for(lambda r=replay: r.records == records, 60)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nobody_receives_changes_of_unreadable_records(start, listen, kind):
    """Neither live, nor when it catches up from the window or from the database."""
    service = start(kind)
    listener = listen(service, "bob")
    live, begin = listener.subscribe("notes", 1), listener.subscribe("notes", 2)
    alice, bob = HttpWriter(service, "alice"), HttpWriter(service, "bob")
    for _ in range(depth(40)):
        alice.delete("notes", alice.create("notes", title="mine")["recordId"])
    his = bob.create("notes", title="his")
    wait_for(lambda: live.changes)
    late = listen(service, "bob").subscribe("notes", cursor=begin.cursors[0])
    wait_for(lambda: late.changes)
    service.kill_worker(signal.SIGKILL)  # and the window with it
    later = listen(service, "bob").subscribe("notes", cursor=begin.cursors[0])
    wait_for(lambda: later.changes)
    assert live.changes == late.changes == later.changes == [("added", his)]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_cursor_before_pruned_changes_needs_a_resync(start, listen, databases, kind):
    service = start(kind)
    writer, listener = HttpWriter(service, "alice"), listen(service, "alice")
    records = listener.subscribe("notes")
    wait_for(lambda: records.cursors)
    with writer.session:
        for number in range(3):
            writer.create("notes", title=str(number))
    wait_for(lambda: len(records.changes) == 3)
    with app_of(service.database_url), write_transaction() as session:
        session.execute(update(Outbox).values(created_at=now() - 2 * outbox.RETENTION))
        assert outbox.prune(session) == 3
    with app_of(databases.make(kind)):
        elsewhere = str(changes.current_cursor(db.session()))
    for cursor in (*records.cursors[:-1], elsewhere):
        assert listener.ask(op="subscribe", id="r", collection="notes", cursor=cursor) == {
            "type": "resync", "id": "r"}  # fmt: skip
