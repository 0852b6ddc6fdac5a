"""Turns that are cut and taken up in another worker, which knows of them by the database only."""

import contextlib
import json
import random
import signal

import pytest
from gevent.pool import Pool

from service.chat.stream import sse
from tests.chat.turns import assemble
from tests.depth import depth
from tests.faults.client import client_of
from tests.faults.model import RawModel
from tests.people import chunks_of
from tests.services import Service, wait_for

TURNS = 20
PATIENT = "tests.faults.patient_pool"


@pytest.fixture(scope="module")
def raw_model():
    raw = RawModel()
    yield raw
    raw.stop()


@pytest.fixture(scope="module")
def two(databases, raw_model):
    """Two services on one database: a reader of the second never meets the first one's turns."""
    url = databases.make("postgresql")
    provider = {"PROVIDER_A_BASE_URL": raw_model.url, "PROVIDER_A_API_KEY": "key"}
    values = {
        **provider,
        "STARTING_CREDITS": 1_000_000,
        "RESUME_SECONDS": 60,
        "GRACEFUL_TIMEOUT": 8,
        "EXTENSIONS": PATIENT,
    }
    services = [Service(url, **values).start() for _ in range(2)]
    yield services
    for service in services:
        service.remove()


class Reading:
    """What a client has read of one turn: its events in order, and the id of the last."""

    def __init__(self, chat):
        self.chat, self.ids, self.events = chat, [], []

    def go_on(self, client, most):
        """Connect, read `most` events or more, and leave; False at its end."""
        exchange = client.watch(self.chat, self.ids[-1] if self.ids else "")
        if exchange.status == 204:
            return False
        with contextlib.suppress(EOFError):
            exchange.read_until(b"\n\n", most)
        exchange.leave("RST")
        for event in exchange.body.split(b"\n\n")[:-1]:
            if event.startswith(b"id: "):
                id, _, data = event.partition(b"\n")
                self.ids.append(id.removeprefix(b"id: ").decode())
                self.events.append(data + b"\n\n")
        return True

    @property
    def numbers(self):
        return [int(id.rpartition(":")[2]) for id in self.ids]

    @property
    def chunks(self):
        return [json.loads(event.removeprefix(b"data: ")) for event in self.events]


def test_a_turn_that_is_cut_is_taken_up_in_another_worker(two):
    first, second = map(client_of, two)
    chance = random.Random(14)

    def cut_and_take_up(number):
        chat = first.new_chat()
        turn = first.ask(chat, f"words=150 rate=50 {number}", f"u-{number}")
        turn.read_until(b"\n\n", chance.randint(2, 100))
        turn.leave(chance.choice(["FIN", "RST"]))
        reading, clients = Reading(chat), [second, first]
        while reading.go_on(clients[0], chance.randint(5, 80)):
            clients.reverse()
        return reading

    for reading in Pool(TURNS).imap_unordered(cut_and_take_up, range(depth(TURNS))):
        assert reading.numbers == list(range(1, len(reading.ids) + 1))
        assert reading.chunks[-1]["type"] == "finish"
        stored = first.rows(reading.chat)[1]["data"]
        assert assemble(reading.chunks) == stored["parts"]


def test_a_turn_that_dies_with_its_worker_ends_for_who_watches_it(two):
    first, second = map(client_of, two)
    chat = first.new_chat()
    first.ask(chat, "silent", "u").read_until(b"text-delta", 3)
    watching = second.watch(chat)
    watching.read_until(b"text-delta", 3)
    two[0].kill_worker(signal.SIGKILL)
    watching.read_whole()
    events = [
        event.partition(b"\n")[2] for event in watching.body.split(b"\n\n") if b"id: " in event
    ]
    chunks = chunks_of(b"".join(event + b"\n\n" for event in events) + sse.DONE)
    assert [c["type"] for c in chunks[-3:]] == ["text-end", "finish-step", "error"]


def test_a_draining_worker_ends_its_turn_that_nobody_reads(two, raw_model):
    first, second = map(client_of, two)
    chat = first.new_chat()
    turn = first.ask(chat, "silent drain", "u")
    turn.read_until(b"text-delta", 3)
    turn.leave()
    two[0].stop()
    two[0].start()
    wait_for(lambda: len(second.rows(chat)) == 2, 40)
    assert "silent drain" in raw_model.closed
