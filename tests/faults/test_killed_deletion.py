"""A worker that is killed while it deletes a large chat."""

import signal

import gevent
from sqlalchemy import insert

from service.chat.models import Message
from service.database.access import write_transaction
from tests.faults.client import client_of
from tests.faults.database_rows import app_of, sqlite_file_of
from tests.services import wait_for

MANY = 200  # messages of 80 KB
TEXT = " ".join(f"word{number}" for number in range(10_000))


def fill(service, chat):
    message = {"chat_id": chat, "user_id": "alice", "role": "user", "content": TEXT}
    with app_of(service.database_url), write_transaction() as session:
        session.execute(insert(Message), [{**message, "record_id": f"m{n}"} for n in range(MANY)])


def test_the_chat_is_whole_until_it_is_deleted(start):
    service = start()
    client = client_of(service)
    chat = client.new_chat()
    fill(service, chat)
    with sqlite_file_of(service.database_url) as database:

        def ask(question):
            return database.execute(question).fetchone()[0]

        deleting = gevent.spawn(client.send, "DELETE", f"/api/ai/chats/{chat}")
        wait_for(lambda: ask("SELECT count(*) FROM search_unindexed"))
        service.kill_worker(signal.SIGKILL)
        deleting.join()
        assert ask("SELECT count(*) FROM messages") == MANY
        assert 0 < ask("SELECT count(*) FROM search_unindexed") < MANY
        assert client.json("DELETE", f"/api/ai/chats/{chat}") == {"success": True}
        assert ask("SELECT count(*) FROM messages") == ask("SELECT count(*) FROM search_unindexed")
        database.execute("INSERT INTO search_messages (search_messages) VALUES ('integrity-check')")
        assert ask("SELECT count(*) FROM messages") == 0
