"""When a client leaves, its upstream is closed at once and nothing leaks."""

import os

import gevent
import pytest
from sqlalchemy import func, select

from service.chat.stream.reader import KEEP_ALIVE_SECONDS, SLOW_SECONDS
from service.extensions import db
from tests.depth import depth
from tests.extension import LOCK
from tests.faults.client import client_of
from tests.faults.database_rows import app_of
from tests.services import wait_for


@pytest.mark.parametrize("how", ["FIN", "RST"])
def test_a_client_that_leaves_a_silent_model_is_noticed_before_the_keep_alive(start, model, how):
    """No write can fail meanwhile, so the connection itself is watched."""
    client = client_of(start())
    chats = [client.new_chat() for _ in range(10)]
    for number in range(depth(20)):
        text = f"silent {how} {number}"
        turn = client.ask(chats[number % 10], text, text.replace(" ", "-"))
        turn.read_until(b"text-delta", 3)
        turn.leave(how)
        wait_for(lambda text=text: text in model.closed, KEEP_ALIVE_SECONDS - 1)


@pytest.mark.timeout(900)
def test_hundreds_of_aborted_turns_leak_nothing(start, model):
    # A small pool reaches its full size soon; its connections are open files too. On a busy machine
    # some of ten turns at a time wait long for one.
    values = {"STARTING_CREDITS": 100_000, "DATABASE_POOL_SIZE": 2}
    service = start(EXTENSIONS="tests.extension,tests.faults.patient_pool", **values)
    client = client_of(service)
    chats = [client.new_chat() for _ in range(10)]
    worker = service.worker
    waves(client, model, chats, range(10))
    greenlets(client)  # the first such turn makes connections that are kept
    before = greenlets(client)
    files = open_files(worker)  # with the connections that the turn before has left to be reused
    waves(client, model, chats, range(10, 10 + depth(15)))
    wait_for(lambda: client.credits()["held"] == 0)
    wait_for(lambda: open_files(worker) <= files + 2)  # what is lost never comes back
    wait_for(lambda: greenlets(client) <= before + 2)


def waves(client, model, chats, numbers):
    """Begin a turn in every chat and leave it, half of them by RST, in each wave."""
    for number in numbers:
        texts = {chat: f"silent wave {number} {chat}" for chat in chats}
        turns = [client.ask(chat, text, text.replace(" ", "-")) for chat, text in texts.items()]
        for index, turn in enumerate(turns):
            turn.read_until(b"text-delta", 3)
            turn.leave("RST" if index % 2 else "FIN")
        wait_for(lambda texts=texts: set(texts.values()) <= set(model.closed), 60)


def open_files(pid: int) -> int:
    """Count the descriptors of the worker after its last responses are closed."""
    gevent.sleep(1)
    return len(os.listdir(f"/proc/{pid}/fd"))


def greenlets(client) -> int:
    """Count the greenlets inside the worker by a tool of tests/extension.py."""
    chat = client.new_chat()
    body = {"modelId": "gen-5.4"}
    chunks = client.ask(chat, "call test.greenlets with {}", chat, **body).chunks
    return next(chunk["output"] for chunk in chunks if "output" in chunk)["count"]


def test_a_client_that_never_reads_is_disconnected_and_delays_nobody(start, model):
    service = start()
    client = client_of(service)
    stuck = client.ask(client.new_chat(), "words=400000 rate=1000000", "stuck")
    stuck.read_until(b"text-delta", 3)
    other = client.ask(client.new_chat(), "words=20 rate=10", "other").chunks
    assert other[-1]["type"] == "finish"
    wait_for(lambda: "words=400000 rate=1000000" in model.closed, 2 * SLOW_SECONDS)
    stuck.leave()


@pytest.mark.parametrize("how", ["FIN", "RST"])
def test_a_client_that_leaves_while_a_tool_runs_ends_the_turn_before_the_tool(start, how):
    """The tool waits in the database for a lock, which is held to the end of the test."""
    client = client_of(service := start("postgresql", EXTENSIONS="tests.extension"))
    chat = client.new_chat()
    with app_of(service.database_url):
        db.session.execute(select(func.pg_advisory_xact_lock(LOCK)))
        turn = client.ask(chat, "call test.hang with {}", "u", modelId="gen-5.4")
        turn.read_until(b"tool-input-available")
        assert client.credits()["held"] > 0
        turn.leave(how)
        wait_for(lambda: client.credits()["held"] == 0)
        assert client.send("POST", f"/api/ai/chat/{chat}/stop").status == 200
    again = client.ask(chat, "hello", "v", modelId="gen-5.4")
    assert again.chunks[-1]["type"] == "finish"
