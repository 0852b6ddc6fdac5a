"""The database pauses for longer than a lease, and no turn or hold is lost."""

import time

import gevent
import pytest

from tests.faults.client import client_of
from tests.faults.database_proxy import DatabaseProxy
from tests.services import wait_for

PAUSE = 17  # seconds, more than a lease
TURNS = 10


@pytest.fixture
def proxied(databases, start):
    """A service behind a proxy, whose model may be silent for longer than the pause."""
    proxy = DatabaseProxy(databases.cluster.directory)
    url = proxy.make_database(databases)
    service = start(url=url, EXTENSIONS="tests.faults.patient_model")
    yield service, proxy
    service.remove()
    proxy.stop()


@pytest.mark.usefixtures("model")
def test_turns_outlive_a_pause_of_the_database_and_are_paid(proxied, model):
    service, proxy = proxied
    client = client_of(service)
    chats = {f"words=5 gate {n}": client.new_chat() for n in range(TURNS)}
    turns = {text: client.ask(chat, text, text) for text, chat in chats.items()}
    for turn in turns.values():
        turn.read_until(b"text-delta", 5)
    proxy.set("hang")
    time.sleep(PAUSE)
    proxy.set("pass")
    gevent.sleep(8)  # an early sweep would have happened by now
    again = [client.ask(chat, text, text).status for text, chat in chats.items()]
    for text in turns:
        model.open(text)
    assert [turn.chunks[-1]["type"] for turn in turns.values()] == ["finish"] * TURNS
    assert again == [409] * TURNS
    wait_for(lambda: client.credits()["held"] == 0)
    assert len(client.credits()["entries"]) == 1 + TURNS
    assert all(len(client.rows(chat)) == 2 for chat in chats.values())
