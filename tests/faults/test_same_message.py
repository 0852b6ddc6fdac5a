"""The same message from several sides at once, and two tabs in one chat."""

import os
import signal
import time

import gevent

from tests.faults.conftest import client_of
from tests.services import wait_for

DEPTH = int(os.environ.get("TEST_DEPTH", "1"))


def test_of_five_equal_posts_one_is_answered(start, model):
    client = client_of(start("postgresql", WEB_CONCURRENCY=2))
    chat, text = client.new_chat(), "gate five"
    jobs = [gevent.spawn(lambda: client.ask(chat, text, "u").status) for _ in range(5)]
    wait_for(lambda: sum(job.ready() for job in jobs) >= 4, 20)
    model.open(text)
    assert sorted(job.get(timeout=20) for job in jobs) == [200, 409, 409, 409, 409]
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert model.calls[text] == 1


def test_twenty_equal_posts_make_one_call(start, model):
    client = client_of(start())
    chat, text = client.new_chat(), "gate twenty"
    jobs = [gevent.spawn(lambda: client.ask(chat, text, "u").status) for _ in range(20)]
    wait_for(lambda: sum(job.ready() for job in jobs) >= 19, 20)
    model.open(text)
    assert sorted(job.get(timeout=20) for job in jobs) == [200] + [409] * 19
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert model.calls[text] == 1


def test_after_completion_the_same_post_streams_the_stored_answer(start, model):
    client = client_of(start("postgresql", WEB_CONCURRENCY=2))
    chat, text = client.new_chat(), "words=5"
    first = client.ask(chat, text, "u").chunks
    for _ in range(4):
        again = client.ask(chat, text, "u").chunks
        assert again[0]["messageId"] == first[0]["messageId"]
        assert again[-1] == first[-1]
    assert model.calls[text] == 1


def test_two_tabs_on_two_workers_alternate_by_turn(start, model):
    client = client_of(start("postgresql", WEB_CONCURRENCY=2))
    chat = client.new_chat()
    for pair in range(50 * DEPTH):
        texts = [f"words=3 {pair}-{tab}" for tab in "ab"]
        jobs = [gevent.spawn(lambda text=text: client.ask(chat, text, text).chunks[-1]["type"])
                for text in texts]  # fmt: skip
        assert [job.get(timeout=30) for job in jobs] == ["finish", "finish"]
    records = client.rows(chat)
    assert len(records) == 200
    assert [r["data"]["role"] for r in records] == ["user", "assistant"] * 100
    times = [record["createdAt"] for record in records]
    assert times == sorted(set(times))


def test_after_a_kill_the_message_is_accepted_within_fifteen_seconds(start, model):
    service = start("postgresql")
    client = client_of(service)
    chat, text = client.new_chat(), "gate kill"
    client.ask(chat, text, "u").read_until(b"text-delta", 3)
    service.kill_worker(signal.SIGKILL)
    killed = time.monotonic()
    model.open(text)
    wait_for(lambda: client.ask(chat, text, "u").status == 200, 16)
    print(f"accepted after {time.monotonic() - killed:.1f} s")
    wait_for(lambda: len(client.rows(chat)) == 2)


def test_a_stop_reaches_a_turn_in_another_worker(start, model):
    client = client_of(start("postgresql", WEB_CONCURRENCY=3))
    for number in range(6):
        chat = client.new_chat()
        turn = client.ask(chat, f"silent {number}", f"u{number}")
        turn.read_until(b"text-delta", 3)
        assert client.json("POST", f"/api/ai/chat/{chat}/stop") == {"stopped": True}
        assert turn.chunks[-1]["type"] == "abort"
