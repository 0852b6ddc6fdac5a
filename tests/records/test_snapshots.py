"""Snapshots whose readers are slow: one of a user's at a time, whole, and with nothing missing."""

import json
import time

import pytest
import websocket

from tests.records.listening import Subscriber
from tests.services import wait_for

RECORDS = 400  # of 20 KB: more than the kernel takes for a client that reads nothing


@pytest.fixture
def many(hands):
    """What alice has; the newest comes last."""
    writer = hands()
    return [writer.create("notes", title=str(n), text="x" * 20_000) for n in range(RECORDS)]


@pytest.fixture
def stuck(subscriber, many):
    """Alice, whose socket has a snapshot on its way that she has begun to read."""
    first = subscriber(slow=True)
    first.send(op="subscribe", id="s", collection="notes")
    time.sleep(0.5)
    return first


def answers(listener, seconds: float) -> bool:
    """Whether a message begins within that time."""
    listener.socket.settimeout(seconds)
    try:
        listener.socket.sock.recv(1, 2)  # MSG_PEEK
        return True
    except TimeoutError:
        return False
    finally:
        listener.socket.settimeout(20)


def test_a_snapshot_in_pieces_is_whole(subscriber, many):
    assert subscriber().subscribe("notes") == many


def test_the_second_snapshot_of_a_user_waits_until_the_first_is_read(subscriber, stuck, many):
    second, bob = subscriber(), subscriber("bob")
    second.send(op="subscribe", id="s", collection="notes")
    assert bob.subscribe("notes") == [], "others do not wait"
    assert not answers(second, 1)
    assert stuck.read()["records"] == many
    assert second.read()["records"] == many


def test_what_changes_meanwhile_is_told_once(subscriber, hands, stuck, many):
    second = subscriber()
    second.send(op="subscribe", id="s", collection="notes")
    added = hands().create("notes", title="while both wait")
    assert stuck.read()["records"] == many
    assert stuck.changes(1) == [("added", added)]
    assert second.read()["records"] == [*many, added]
    last = hands().create("notes", title="for both")
    assert stuck.changes(1) == second.changes(1) == [("added", last)]


def test_who_waits_for_a_turn_and_leaves_is_noticed(subscriber, live_service, called, stuck):
    waiting = [subscriber() for _ in range(19)]
    for number, one in enumerate(waiting):
        for _ in range(1 + number % 2):  # what it has sent and nobody has read hides its end
            one.send(op="subscribe", id=f"s{_}", collection="notes")
    time.sleep(0.3)
    with pytest.raises(websocket.WebSocketBadStatusException, match="429"):
        subscriber()
    for one in waiting:
        one.socket.sock.close()
    opened = []
    wait_for(lambda: opened.append(connected(live_service, called("alice"))) or opened[-1], 10)
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
