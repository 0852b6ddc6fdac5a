"""Slow, silent and misbehaving subscribers and long queries do not delay others."""

import socket
import time
from statistics import median

import gevent
import pytest
import websocket
from sqlalchemy import insert, text

from service.database.access import write_transaction
from service.records.models import Record
from service.websockets.websocket import STALL_SECONDS
from tests.faults.client import client_of
from tests.faults.database_rows import announce, app_of
from tests.faults.exchanges import Exchanges
from tests.faults.follower import connect
from tests.faults.processes import memory_bounded
from tests.records.http_writer import HttpWriter
from tests.services import wait_for

LARGE = {"name": "large", "state": {"text": "x" * 900_000}}
SMALL = {"name": "small", "state": {"text": "x" * 1000}}
AT_ONCE = 1000
FLOOD = 1000  # operations; most of them wait for their turn
COLUMNS = "collection, owner, data, created_at, updated_at"
DOUBLE = f"""INSERT INTO records (record_id, {COLUMNS})
    SELECT record_id || '-' || CAST(:number AS text), {COLUMNS} FROM records"""


def announce_much(app, count):
    """Add 20 large changes, then `count` small ones, and return their ids in order."""
    large = [f"large-{number}" for number in range(20)]
    small = [f"small-{number}" for number in range(count)]
    announce(app, "alice", "canvases", large, LARGE)
    for start in range(0, len(small), AT_ONCE):
        announce(app, "alice", "canvases", small[start : start + AT_ONCE], SMALL)
    return large + small


def test_a_slow_reader_receives_many_changes_in_order(start):
    service = start("postgresql")  # the test of who never reads has the changes of SQLite
    slow = connect(service, "alice", room=262_144)
    slow.send('{"op":"subscribe","id":"s","collection":"canvases"}')
    assert '"snapshot"' in slow.recv()
    with app_of(service.database_url) as app, memory_bounded(service.worker, 40):
        expected = announce_much(app, 5000)  # more than a worker has in memory
        gevent.sleep(1)  # so that it falls behind
        for id in expected:
            change = slow.recv()
            assert f'"recordId":"{id}"' in change[:100]
            assert len(change) > 900_000 if id.startswith("large") else 1000 < len(change) < 1500
    slow.shutdown()


def test_ten_snapshots_that_nobody_reads_take_the_memory_of_one(start, listen):
    service = start("postgresql")  # tests/records/test_snapshots.py has both databases
    large = {"name": "large", "text": "x" * 7500}
    rows = [
        {"record_id": f"r-{n}", "collection": "notes", "owner": "alice", "data": large}
        for n in range(1000)
    ]
    with app_of(service.database_url), write_transaction() as session:
        session.execute(insert(Record), rows)
    listen(service, "bob").subscribe("notes")
    stuck = [connect(service, "alice", room=4096) for _ in range(10)]
    with memory_bounded(service.worker, 50):  # of snapshots that have 7.6 MB each
        for sock in stuck:
            sock.send('{"op":"subscribe","id":"s","collection":"notes"}')
        gevent.sleep(3)
        for sock in stuck:
            sock.settimeout(300)
        reading = [gevent.spawn(sock.recv) for sock in stuck]  # they come in any order
        assert all(len(one.get()) > 7_500_000 for one in reading)
    for sock in stuck:
        sock.shutdown()


def test_a_subscriber_that_never_reads_is_disconnected_and_delays_nobody(start, listen):
    service = start()
    others = Exchanges(service, "bob", listen(service, "bob"))
    stuck = connect(service, "alice", room=65_536)
    stuck.send('{"op":"subscribe","id":"s","collection":"canvases"}')
    with app_of(service.database_url) as app, memory_bounded(service.worker, 40):
        began = time.monotonic()
        announce_much(app, 2000)
        exchanged = others.until(lambda: not established(stuck), pause=0.1)
    stuck.shutdown()
    seconds = time.monotonic() - began
    assert seconds > STALL_SECONDS - 5
    assert exchanged > 10  # a subscriber who waits for the other one would have received one or two


def established(sock):
    """Whether the connection is open, by the kernel's state, because nothing is read."""
    return sock.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == 1


@pytest.mark.parametrize(
    "flood",
    ['{"op": "shout", "id": %d}', '{"op": "subscribe", "id": %d, "collection": "notes"}'],
    ids=["nonsense", "subscriptions"],
)
def test_a_flood_of_a_thousand_operations_delays_nobody(start, listen, flood):
    service = start()
    others, rude = Exchanges(service, "bob", listen(service, "bob")), listen(service, "alice")
    for number in range(FLOOD):
        rude.sock.send(flood % number)
    others.until(lambda: others.count == 50)
    assert rude.code is None
    assert rude.answers < FLOOD / 2  # the rest of the flood still waits


def test_only_a_connection_that_breaks_the_protocol_is_closed(start, listen):
    service = start()
    good, large = listen(service, "alice"), listen(service, "alice")
    large.sock.send("x" * 200_000)
    expiring = listen(service, "alice", seconds=4)  # a busy machine needs some for the handshake
    wait_for(lambda: large.code == 1009)
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        connect(service, "alice", origin="https://evil.example")
    wait_for(lambda: expiring.code == 4401)
    records = good.subscribe("notes")
    wait_for(lambda: records.cursors)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_query_through_a_hundred_thousand_rows_delays_no_stream(start, kind):
    service = start(kind)
    client, writer = client_of(service), HttpWriter(service, "alice")
    rows = [{"record_id": f"r-{n}", "collection": "notes", "owner": "alice",
             "data": {"title": f"{n * 7919 % 100_003:06}", "text": "some text " * 10}}
            for n in range(3125)]  # fmt: skip
    with app_of(service.database_url), write_transaction() as session:
        session.execute(insert(Record), rows)
        for number in range(5):
            session.execute(text(DOUBLE), {"number": number})
    query = 'notes?where={"title":{"contains":"77"}}&sort=-title&limit=200'
    client.ask(client.new_chat(), "hello", "first", modelId="gen-5.4").read_whole()
    assert len(writer.call("GET", query).json()["records"]) == 200
    pieces, reads = [], []  # of the stream, and how many of them came during each query
    streaming = gevent.spawn(read_on, client, "count to 150", pieces)
    wait_for(lambda: pieces)
    with writer.session, memory_bounded(service.worker, 30):
        while not streaming.ready():
            before = len(pieces)
            assert writer.call("GET", query).status_code == 200
            reads.append(len(pieces) - before)
    print(f"{kind}: pieces of the stream during each query: {reads}")
    streaming.get()
    # A query that stops the stream lets none through. On a slow machine, one outlasts the stream.
    assert median(reads[:-1] or reads) >= 2


def read_on(client, content, pieces):
    """Read the sandbox's answer in pieces as it arrives."""
    chat = client.new_chat()
    turn = client.ask(chat, content, chat, modelId="gen-5.4")
    turn.read_until(b"text-delta")
    while b"[DONE]" not in turn.raw:
        pieces.append(turn.sock.recv(65536))
        turn.raw += pieces[-1]
    assert turn.chunks[-1]["type"] == "finish"
