"""Snapshots for slow readers: one at a time for each user, and complete."""

import json
import time

import pytest
import websocket

from tests.records.bulk_rows import fill
from tests.records.subscribers import Subscriber, begins
from tests.services import flask, wait_for


@pytest.fixture
def many(live_service, own_name):
    """Alice's records, newest last."""
    return fill(live_service, own_name("alice"))


@pytest.fixture
def stuck(subscriber, many):
    """A socket of alice to which a snapshot is being sent."""
    first = subscriber(slow=True)
    first.send(op="subscribe", id="s", collection="notes")
    assert begins(first, 20)
    return first


def test_a_snapshot_in_pieces_is_complete(subscriber, many):
    assert subscriber().subscribe("notes") == many


def test_the_second_snapshot_of_a_user_waits_until_the_first_is_read(subscriber, stuck, many):
    second, bob = subscriber(), subscriber("bob")
    second.send(op="subscribe", id="s", collection="notes")
    assert bob.subscribe("notes") == [], "others do not wait"
    assert not begins(second, 1)
    assert stuck.read()["records"] == many
    assert second.read()["records"] == many


def test_a_change_meanwhile_is_sent_once(subscriber, new_writer, stuck, many):
    second = subscriber()
    second.send(op="subscribe", id="s", collection="notes")
    added = new_writer().create("notes", title="while both wait")
    assert stuck.read()["records"] == many
    assert stuck.changes(1) == [("added", added)]
    assert second.read()["records"] == [*many, added]
    last = new_writer().create("notes", title="for both")
    assert stuck.changes(1) == second.changes(1) == [("added", last)]


def test_a_role_that_changes_meanwhile_ends_the_subscription(
    subscriber, new_writer, live_service, own_name, many
):
    root, other = subscriber("root", role="admin", slow=True), subscriber("root", role="admin")
    of_alice = {"userId": own_name("alice")}
    assert other.subscribe("tasks", where=of_alice) == []
    root.send(op="subscribe", id="s", collection="notes", where=of_alice)
    assert begins(root, 20)
    flask(live_service.database_url, "users", "role", own_name("root"), "user")
    assert other.read() == {"type": "resync", "id": "s"}  # the worker has noticed
    assert root.read()["records"] == many
    new_writer("alice").create("notes", title="for admins")
    assert root.read() == {"type": "resync", "id": "s"}


def test_a_client_that_leaves_while_it_waits_is_noticed(subscriber, live_service, own_name, stuck):
    waiting = [subscriber() for _ in range(19)]
    for number, one in enumerate(waiting):
        for _ in range(1 + number % 2):  # unread messages hide the end of the connection
            one.send(op="subscribe", id=f"s{_}", collection="notes")
    time.sleep(0.3)
    with pytest.raises(websocket.WebSocketBadStatusException, match="429"):
        subscriber()
    for one in waiting:
        one.socket.sock.close()
    opened = []
    wait_for(lambda: opened.append(connected(live_service, own_name("alice"))) or opened[-1], 10)
    opened[-1].close()


def connected(service, subject):
    try:
        return Subscriber(service, subject)
    except websocket.WebSocketBadStatusException:
        return None


def test_a_snapshot_of_megabytes_comes_in_frames(subscriber, stuck, many):
    frames = [stuck.socket.recv_frame()]
    while not frames[-1].fin:
        frames.append(stuck.socket.recv_frame())
    opcodes = [frame.opcode for frame in frames]
    text, continuation = websocket.ABNF.OPCODE_TEXT, websocket.ABNF.OPCODE_CONT
    assert (opcodes[0], set(opcodes[1:])) == (text, {continuation})
    assert all(256 << 10 <= len(frame.data) < 300 << 10 for frame in frames[:-1])
    assert json.loads(b"".join(frame.data for frame in frames))["records"] == many
