"""A worker that is killed while its turn has the older half of a chat summarised."""

import signal
from datetime import timedelta

import gevent
import pytest
from sqlalchemy import insert

from service.chat.models import Message
from service.database.access import write_transaction
from service.times import now
from tests.faults.client import client_of
from tests.faults.database_rows import app_of, sqlite_file_of
from tests.services import wait_for

OLD = "gate " + "word " * 140
ASKED = "Summarize this conversation:"


def fill(service, chat):
    begun = now() - timedelta(days=1)
    of_all = {"chat_id": chat, "user_id": "alice", "content": OLD}
    rows = [
        {
            **of_all,
            "record_id": f"old-{n}",
            "role": ("user", "assistant")[n % 2],
            "created_at": begun + timedelta(seconds=n),
        }
        for n in range(40)
    ]
    with app_of(service.database_url), write_transaction() as session:
        session.execute(insert(Message), rows)


def requests_for_summaries(model):
    return [text for text in model.calls if text.startswith(ASKED)]


@pytest.mark.parametrize("moment", ["while it is streamed", "before it is stored"])
def test_the_next_turn_makes_the_summary_that_was_not_stored(start, model, moment):
    service = start(CONTEXT_BUDGET=20_000)
    client = client_of(service)
    chat = client.new_chat()
    fill(service, chat)
    with sqlite_file_of(service.database_url) as database:

        def ask(question):
            return database.execute(question).fetchone()[0]

        client.ask(chat, "first", "u1").read_until(b"stream-open")
        wait_for(lambda: requests_for_summaries(model))
        [request] = requests_for_summaries(model)
        if moment == "before it is stored":
            database.execute("BEGIN IMMEDIATE")
            model.open(request)
            gevent.sleep(0.5)
        killing = gevent.spawn(service.kill_worker, signal.SIGKILL)
        gevent.sleep(0.2)
        if database.in_transaction:
            database.execute("ROLLBACK")
        killing.get()
        assert ask("SELECT count(*) FROM summaries") == 0
        model.open(request)
        assert client.ask(chat, "second", "u2").chunks[-1]["type"] == "finish"
        assert ask("SELECT count(*) FROM summaries WHERE text IS NOT NULL") == 1
        contents = "SELECT group_concat(content) FROM (SELECT content FROM messages ORDER BY seq)"
        assert ask(contents).endswith(f"{OLD},second,0 1 2")
        assert ask("SELECT count(*) FROM turns") == 1
