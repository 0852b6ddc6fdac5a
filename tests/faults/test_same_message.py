"""One message sent several times in parallel, and two tabs in one chat."""

import os
import signal

import gevent

from service.chat.claims import LEASE_SECONDS
from tests.depth import depth
from tests.faults.client import client_of
from tests.services import wait_for

PAIRS = 25  # of turns in a chat, whose rows are a page then
PATIENT = "tests.faults.patient_pool"


def test_of_five_equal_posts_one_is_answered(start, model):
    client = client_of(start("postgresql", WEB_CONCURRENCY=2, EXTENSIONS=PATIENT))
    chat, text = client.new_chat(), "gate five"
    jobs = [gevent.spawn(lambda: client.ask(chat, text, "u").status) for _ in range(5)]
    wait_for(lambda: all(job.ready() for job in jobs))
    model.open(text)
    assert sorted(job.get(timeout=20) for job in jobs) == [200, 409, 409, 409, 409]
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert model.calls[text] == 1


def test_twenty_equal_posts_make_one_call(start, model):
    client = client_of(start(EXTENSIONS=PATIENT))
    chat, text = client.new_chat(), "gate twenty"
    jobs = [gevent.spawn(lambda: client.ask(chat, text, "u").status) for _ in range(20)]
    wait_for(lambda: all(job.ready() for job in jobs))
    model.open(text)
    assert sorted(job.get(timeout=20) for job in jobs) == [200] + [409] * 19
    wait_for(lambda: len(client.rows(chat)) == 2)
    assert model.calls[text] == 1


def test_of_five_edits_of_a_message_on_two_workers_one_is_answered(start, model):
    client = client_of(start("postgresql", WEB_CONCURRENCY=2, EXTENSIONS=PATIENT))
    chat, text = client.new_chat(), "gate edited"
    for message in ("first", "second"):
        assert client.ask(chat, f"words=3 {message}", message).chunks[-1]["type"] == "finish"
    edits = [(f"new-{number}", {"replaces": "first"}) for number in range(5)]
    jobs = [gevent.spawn(lambda id, more: client.ask(chat, text, id, **more).status, *edit)
            for edit in edits]  # fmt: skip
    wait_for(lambda: all(job.ready() for job in jobs))  # a later one would find it replaced
    model.open(text)
    assert sorted(job.get(timeout=20) for job in jobs) == [200, 409, 409, 409, 409]
    wait_for(lambda: [row["data"]["content"] for row in client.rows(chat)][:1] == [text])
    assert len(client.rows(chat)) == 2
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
    for _ in range(depth(2)):
        chat = client.new_chat()
        for pair in range(PAIRS):
            texts = [f"words=3 {pair}-{tab} {chat}" for tab in "ab"]
            jobs = [gevent.spawn(lambda chat=chat, text=text: client.ask(chat, text, text).chunks)
                    for text in texts]  # fmt: skip
            assert [job.get()[-1]["type"] for job in jobs] == ["finish", "finish"]
        records = client.rows(chat)
        assert [r["data"]["role"] for r in records] == ["user", "assistant"] * 2 * PAIRS
        times = [record["createdAt"] for record in records]
        assert times == sorted(set(times))


def test_after_a_kill_the_message_is_accepted_when_its_lease_has_ended(start, model):
    service = start("postgresql")
    client = client_of(service)
    chat, text = client.new_chat(), "gate kill"
    client.ask(chat, text, "u").read_until(b"text-delta", 3)
    service.kill_worker(signal.SIGKILL)
    model.open(text)
    wait_for(lambda: client.ask(chat, text, "u").status == 200, 3 * LEASE_SECONDS)
    wait_for(lambda: len(client.rows(chat)) == 2)


def test_a_suspended_worker_ends_the_turn_that_another_worker_has_overtaken(start, model):
    suspended = start("postgresql")
    other = start(url=suspended.database_url)
    client, beside = client_of(suspended), client_of(other)
    chat, text = client.new_chat(), "gate suspended"
    first = client.ask(chat, text, "u")
    first.read_until(b"text-delta", 3)
    os.kill(suspended.worker, signal.SIGSTOP)
    try:
        wait_for(lambda: beside.ask(chat, text, "u").status == 200, 3 * LEASE_SECONDS)
    finally:
        os.kill(suspended.worker, signal.SIGCONT)
    last = first.chunks[-1]  # the model has not ended its answer
    assert (last["type"], last["errorText"][:30]) == ("error", "The answer could not be saved.")
    model.open(text)
    wait_for(lambda: len(beside.rows(chat)) == 2)
    wait_for(lambda: beside.credits()["held"] == 0)


def test_a_stop_reaches_a_turn_in_another_worker(start, model):
    client = client_of(start("postgresql", WEB_CONCURRENCY=3))
    for number in range(depth(3)):
        chat = client.new_chat()
        turn = client.ask(chat, f"silent {number}", f"u{number}")
        turn.read_until(b"text-delta", 3)
        assert client.json("POST", f"/api/ai/chat/{chat}/stop") == {"stopped": True}
        assert turn.chunks[-1]["type"] == "abort"
