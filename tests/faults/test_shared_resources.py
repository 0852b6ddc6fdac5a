"""Streams share a worker, a pool and a database without delaying each other."""

import gevent
from sqlalchemy import func, select

from service.extensions import db
from tests.extension import LOCK
from tests.faults.client import client_of
from tests.faults.database_rows import app_of
from tests.services import wait_for


def test_twelve_streams_over_two_connections_all_finish(start, model):
    """All of them are in the middle of their text at once, so none keeps a connection for it."""
    patient = "tests.faults.patient_pool"
    client = client_of(start("postgresql", DATABASE_POOL_SIZE=2, EXTENSIONS=patient))
    chats = {f"words=20 rate=20 gate {number}": client.new_chat() for number in range(12)}
    jobs = [gevent.spawn(lambda text=text, chat=chat: client.ask(chat, text, chat)
                         .chunks[-1]["type"]) for text, chat in chats.items()]  # fmt: skip
    wait_for(lambda: [model.said[text] for text in chats] == [20] * 12, 60)
    for text in chats:
        model.open(text)
    assert [job.get(timeout=60) for job in jobs] == ["finish"] * 12


def test_a_tool_that_hangs_in_the_database_delays_no_other_stream(start, model):
    """Another stream begins and ends while the query hangs."""
    service = start("postgresql", EXTENSIONS="tests.extension")
    client = client_of(service)
    with app_of(service.database_url):
        db.session.execute(select(func.pg_advisory_xact_lock(LOCK)))
        hanging = client.ask(client.new_chat(), "call test.hang with {}", "hang", modelId="gen-5.4")
        hanging.read_until(b"tool-input-available")
        other = client.ask(client.new_chat(), "words=20 rate=20", "other").chunks
        assert other[-1]["type"] == "finish"
        assert b"tool-output" not in hanging.raw + hanging.waiting()
        db.session.rollback()
    assert hanging.chunks[-1]["type"] == "finish"
