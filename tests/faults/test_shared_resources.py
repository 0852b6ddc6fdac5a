"""Streams share a worker, a pool and a database without standing in each other's way."""

import time

import gevent

from tests.faults.conftest import client_of


def test_twelve_streams_over_two_connections_all_finish(start, model):
    client = client_of(start("postgresql", DATABASE_POOL_SIZE=2))
    chats = [client.new_chat() for _ in range(12)]
    jobs = [gevent.spawn(lambda chat=chat: client.ask(chat, f"words=20 rate=20 {chat}", chat)
                         .chunks[-1]["type"]) for chat in chats]  # fmt: skip
    assert [job.get(timeout=30) for job in jobs] == ["finish"] * 12


def test_a_tool_that_hangs_in_the_database_delays_no_other_stream(start, model):
    """Gaps of tens of milliseconds are the machine's; a blocked event loop would take seconds."""
    client = client_of(start("postgresql", EXTENSIONS="tests.extension"))
    hanging = client.ask(client.new_chat(), 'call test.hang with {"seconds": 4}', "hang",
                         modelId="gen-5.4")  # fmt: skip
    hanging.read_until(b"tool-input-available")
    turn = client.ask(client.new_chat(), "words=60 rate=20", "other")
    gaps, last = [], time.monotonic()
    while b"[DONE]" not in turn.raw:
        turn.raw += turn.sock.recv(65536)
        gaps.append(time.monotonic() - last)
        last = time.monotonic()
    print(f"longest gap beside a hanging query: {max(gaps) * 1000:.0f} ms")
    assert max(gaps) < 1
    assert hanging.chunks[-1]["type"] == "finish"
