"""A worker is suspended by SIGSTOP while it works, and another one takes its place."""

import os
import signal
from contextlib import contextmanager

import gevent
import pytest
from sqlalchemy import select, update

from service.auth.users import RIGHTS_AGE
from service.chat.models import JournalEntry, Lease
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from tests.faults.client import client_of
from tests.faults.database_rows import app_of, outbox_messages, stored_records
from tests.faults.writers import Crew
from tests.load.upstream import Model
from tests.records.http_writer import HttpWriter
from tests.services import wait_for

SUSPENDED = 5  # seconds
PAUSE = 0.2  # between two writes of each of four writers: without it they use a whole processor
NOT_SAVED = "The answer could not be saved. Please try again."


@pytest.fixture
def model():
    """Calls the tool `records.create` for a text with `note=`."""
    made = Model()
    yield made
    made.stop()


@contextmanager
def suspended(service):
    worker = service.worker
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


def lapse(url):
    """Have all leases lapse now instead of in some seconds."""
    with app_of(url), write_transaction() as session:
        session.execute(update(Lease).values(expires_at=from_now(-1)))


def test_a_write_that_was_under_way_when_another_turn_took_over_is_not_made(proxied, start):
    """Its statement reaches the database after the other turn has written the note."""
    slow, proxy = proxied
    url = slow.database_url.replace(proxy.directory, proxy.cluster_directory)
    client, beside = client_of(slow), client_of(start(url=url))
    chat, text = client.new_chat(), "words=3 note=a-title"
    proxy.hang_at = b"INSERT INTO records"
    first = client.ask(chat, text, "u")
    wait_for(lambda: proxy.mode == "hang")
    with suspended(slow):
        lapse(url)
        wait_for(lambda: beside.ask(chat, text, "u").status == 200, 30)
        wait_for(lambda: len(beside.rows(chat)) == 2)
        proxy.hang_at = b""
        proxy.set("pass")
        gevent.sleep(0.5)
    last = first.chunks[-1]
    assert (last["type"], last["errorText"]) == ("error", NOT_SAVED)
    assert len(beside.rows(chat)) == 2
    [note] = beside.json("GET", "/api/records/notes")["records"]
    with app_of(url):
        written = db.session.execute(select(JournalEntry.record_id)).scalars().all()
        db.session.commit()
    assert written == [note["recordId"]]
    wait_for(lambda: beside.credits()["held"] == 0)


def test_a_socket_gets_all_changes_that_were_made_while_its_worker_was_suspended(start, listen):
    slow = start("postgresql")
    other = start(url=slow.database_url)
    listener = listen(slow, "alice")
    replay = listener.subscribe("notes")
    wait_for(lambda: replay.cursors)  # a write beside the snapshot may be in it or come after it
    crew = Crew(other, "alice", pause=PAUSE)
    wait_for(lambda: replay.changes)
    with suspended(slow):
        before = crew.done
        gevent.sleep(SUSPENDED)
        wait_for(lambda: crew.done > before + 20)  # a busy machine writes less in that time
    crew.stop()
    with app_of(slow.database_url) as app:
        records, written = stored_records(app, "alice"), outbox_messages("alice")
    wait_for(lambda: replay.changes[-1:] == written[-1:])
    assert replay.changes == written
    assert replay.records == records
    assert listener.code is None


@pytest.mark.parametrize("change", [{"role": "user"}, {"disabled": True}], ids=["role", "disabled"])
def test_a_socket_gets_no_change_that_is_newer_than_the_end_of_its_rights(start, listen, change):
    """Its worker was suspended, and has read the change before it has read the rights again."""
    slow = start("postgresql")
    other = start(url=slow.database_url)
    bob, root = HttpWriter(other, "bob"), HttpWriter(other, "root", "admin")
    listener = listen(slow, "carol", role="admin")
    replay = listener.subscribe("notes")
    wait_for(lambda: replay.cursors)
    bob.create("notes", title="before")
    wait_for(lambda: replay.changes)
    with suspended(slow):
        assert root.call("PATCH", "../admin/users/carol", change).status_code == 200
        bob.create("notes", title="after")
        gevent.sleep(RIGHTS_AGE + 0.5)
    wait_for(lambda: listener.answers or listener.code)  # the subscription's end, or the socket's
    assert [record["data"]["title"] for _, record in replay.changes] == ["before"]
