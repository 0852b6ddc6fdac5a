"""Rows stay locked, as by a worker that hangs in a transaction."""

import psycopg

from tests.faults.client import client_of
from tests.postgres import LOCK_WAITS
from tests.services import wait_for

NOTES = "/api/records/notes"
MOST = 7  # connections of one user, of the ten of a worker
REQUESTS = 30


def test_other_users_are_served_while_many_requests_wait_for_one_users_row(start):
    service = start("postgresql")
    address = service.database_url.replace("+psycopg", "")
    alice, bob = client_of(service), client_of(service, "bob")
    alice.new_chat()
    with psycopg.connect(address, autocommit=True) as asking, psycopg.connect(address) as hanging:
        hanging.execute("SELECT FROM users WHERE subject = 'alice' FOR UPDATE")
        waiting = [alice.send("POST", NOTES, {"title": "t"}) for _ in range(REQUESTS)]
        wait_for(lambda: asking.execute(LOCK_WAITS).fetchone() == (MOST,))
        for _ in range(3):
            assert bob.send("POST", NOTES, {"title": "t"}).status == 201
            wait_for(lambda: bob.send("GET", "/readyz").status == 200)  # its check has 1.5 seconds
        assert asking.execute(LOCK_WAITS).fetchone() == (MOST,)
        hanging.rollback()
        statuses = [one.status for one in waiting]
    assert set(statuses) <= {201, 503}
    assert statuses.count(201) >= MOST
    assert alice.send("POST", NOTES, {"title": "t"}).status == 201
