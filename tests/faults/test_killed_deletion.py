"""A worker that is killed while it deletes a large chat."""

import signal

import gevent
from sqlalchemy import insert

from service.chat.models import Message
from service.database.access import write_transaction
from tests.faults.client import client_of
from tests.faults.database_rows import app_of, sqlite_file_of
from tests.services import wait_for

MANY = 100  # messages of 80 KB
TEXT = " ".join(f"word{number}" for number in range(10_000))
HELD = 50  # messages whose words are removed, before the removal of the next ones never ends
HOLD = f"""
CREATE VIEW forever AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
  SELECT count(*) AS numbers FROM n;
CREATE TRIGGER hold BEFORE INSERT ON search_unindexed
  WHEN (SELECT count(*) FROM search_unindexed) >= {HELD} BEGIN SELECT numbers FROM forever; END;
"""
LET_GO = "DROP TRIGGER hold; DROP VIEW forever;"


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

        database.executescript(HOLD)
        deleting = gevent.spawn(client.send, "DELETE", f"/api/ai/chats/{chat}")
        wait_for(lambda: ask("SELECT count(*) FROM search_unindexed") == HELD)
        service.kill_worker(signal.SIGKILL)
        deleting.join()
        database.executescript(LET_GO)
        assert ask("SELECT count(*) FROM messages") == MANY
        assert ask("SELECT count(*) FROM search_unindexed") == HELD
        assert client.json("DELETE", f"/api/ai/chats/{chat}") == {"success": True}
        assert ask("SELECT count(*) FROM messages") == ask("SELECT count(*) FROM search_unindexed")
        database.execute("INSERT INTO search_messages (search_messages) VALUES ('integrity-check')")
        assert ask("SELECT count(*) FROM messages") == 0
