"""Streams share a worker, a pool and a database without delaying each other."""

import gevent
from sqlalchemy import func, select

from service.extensions import db
from tests.extension import LOCK
from tests.faults.books import within
from tests.faults.client import client_of


def test_twelve_streams_over_two_connections_all_finish(start, model):
    client = client_of(start("postgresql", DATABASE_POOL_SIZE=2))
    chats = [client.new_chat() for _ in range(12)]
    jobs = [gevent.spawn(lambda chat=chat: client.ask(chat, f"words=20 rate=20 {chat}", chat)
                         .chunks[-1]["type"]) for chat in chats]  # fmt: skip
    assert [job.get(timeout=30) for job in jobs] == ["finish"] * 12


def test_a_tool_that_hangs_in_the_database_delays_no_other_stream(start, model):
    """Another stream begins and ends while the query hangs."""
    service = start("postgresql", EXTENSIONS="tests.extension")
    client = client_of(service)
    with within(service.database_url):
        db.session.execute(select(func.pg_advisory_xact_lock(LOCK)))
        hanging = client.ask(client.new_chat(), "call test.hang with {}", "hang", modelId="gen-5.4")
        hanging.read_until(b"tool-input-available")
        other = client.ask(client.new_chat(), "words=20 rate=20", "other").chunks
        assert other[-1]["type"] == "finish"
        assert b"tool-output" not in hanging.raw + hanging.waiting()
        db.session.rollback()
    assert hanging.chunks[-1]["type"] == "finish"
