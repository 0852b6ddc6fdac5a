"""A database outage is answered soon with 503 and `Retry-After`, and everything recovers."""

import resource
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import requests
from sqlalchemy import make_url, text

from service.auth.tokens import issue
from service.database import commits
from service.database.time_limits import time_limit
from service.extensions import db
from service.records import creation
from tests.faults.client import client_of
from tests.records.subscribers import Subscriber
from tests.services import Service, command, environment, on_sqlite, settings_for, wait_for

NOTES = "/api/records/notes"
CONNECTIONS = 30  # in parallel, more than in a pool
HANGS = 15  # seconds after which a request counts as unanswered


class Caller:
    """A user, with a new connection for each request."""

    def __init__(self, service: Service, subject: str = "alice") -> None:
        self._url = service.url
        role = "admin" if subject == "admin" else "user"
        token = issue(settings_for(service.database_url), subject, role, 3600)
        self._headers = {"Authorization": f"Bearer {token}"}

    def send(self, method: str, path: str, body=None, **headers: str):
        url, headers = self._url + path, {**self._headers, **headers}
        return requests.request(method, url, json=body, headers=headers, timeout=HANGS)

    def ready(self) -> bool:
        return self.send("GET", "/readyz").status_code == 200

    def create(self, title: str = "t", **headers: str) -> requests.Response:
        note = {"title": title, "text": "x" * 20_000}
        return self.send("POST", NOTES, note, **headers)


def refuses(answer: requests.Response) -> bool:
    result = (answer.status_code, answer.json()["error"], "Retry-After" in answer.headers)
    return result == (503, "unavailable", True)


@pytest.mark.parametrize("mode", ["refuse", "hang"])
def test_an_unreachable_postgresql_is_answered_503(proxied, mode):
    service, proxy = proxied
    alice = Caller(service)
    chat = client_of(service).new_chat()
    proxy.set(mode)
    question = {"chatId": chat, "userMessageId": "u", "content": "x"}
    assert refuses(alice.send("GET", NOTES))
    assert refuses(alice.create())
    assert refuses(alice.send("POST", "/api/ai/chat", question))
    assert refuses(alice.send("GET", "/api/credits"))
    assert not alice.ready()
    proxy.set("pass")
    wait_for(alice.ready)
    assert alice.create().status_code == 201


def test_a_socket_survives_a_database_outage(proxied):
    service, proxy = proxied
    alice, waiting = Subscriber(service, "alice"), {"op": "create", "collection": "notes"}
    assert alice.subscribe("notes") == []
    proxy.set("refuse")
    result = alice.ask(**waiting, id=1, data={"title": "t"}, idempotencyKey="k")
    assert (result["type"], result["id"], result["error"]) == ("error", 1, "unavailable")
    proxy.set("pass")
    wait_for(Caller(service).ready)
    alice.send(**waiting, id=2, data={"title": "t"}, idempotencyKey="k")
    answers = {message["type"]: message for message in (alice.read(), alice.read())}
    assert answers["ok"]["record"] == answers["change"]["record"]
    alice.close()


def test_readiness_is_answered_while_all_connections_hang(proxied):
    service, proxy = proxied
    alice = Caller(service)
    assert alice.create().status_code == 201
    proxy.set("hang")
    with ThreadPoolExecutor(CONNECTIONS) as others:
        hanging = [others.submit(alice.send, "GET", NOTES) for _ in range(CONNECTIONS)]
        result = alice.send("GET", "/readyz")
        assert not all(each.done() for each in hanging), "others hold the connections meanwhile"
        assert (result.status_code, result.json()["database"]) == (503, False)
        assert all(refuses(each.result()) for each in hanging)


@pytest.mark.parametrize("with_key", [True, False])
def test_a_record_with_an_unanswered_commit_is_created_once(proxied, with_key):
    service, proxy = proxied
    alice = Caller(service)
    assert alice.create("first").status_code == 201
    proxy.marker = b"INSERT INTO records"
    proxy.set("cut-after-commit")
    key = {"Idempotency-Key": "k"} if with_key else {}
    made = alice.create("second", **key)
    assert (made.status_code, proxy.cuts) == (201, 1)
    if with_key:
        assert alice.create("second", **key).json() == made.json()
    assert len(alice.send("GET", NOTES).json()["records"]) == 2


def test_a_chat_with_an_unanswered_commit_is_created_once(proxied):
    service, proxy = proxied
    alice = Caller(service)
    proxy.marker = b"INSERT INTO chats"
    proxy.set("cut-after-commit")
    made = alice.send("POST", "/api/ai/chats", {"title": "Plans"})
    assert (made.status_code, proxy.cuts) == (201, 1)
    [stored] = alice.send("GET", "/api/records/ai-chats").json()["records"]
    assert made.json()["chat"]["recordId"] == stored["recordId"]


@pytest.mark.parametrize("mode", ["cut-before-commit", "cut-after-commit"])
def test_credits_with_an_unanswered_commit_are_granted_once(proxied, mode):
    service, proxy = proxied
    admin = Caller(service, "admin")
    admin.create()  # makes the row of the user
    proxy.marker = b"INSERT INTO admin_actions"
    proxy.set(mode)
    granted = admin.send("POST", "/api/admin/credits/admin", {"credits": 5, "note": "a gift"})
    assert (granted.status_code, proxy.cuts) == (200, 1)
    assert granted.json()["balance"] == 1005
    assert len(admin.send("GET", "/api/admin/actions").json()["actions"]) == 1


def test_a_record_with_a_lost_commit_is_created_by_the_next_try(proxied):
    service, proxy = proxied
    alice = Caller(service)
    assert alice.create("first").status_code == 201
    proxy.marker = b"INSERT INTO records"
    proxy.set("cut-before-commit")
    assert refuses(alice.create("second", **{"Idempotency-Key": "k"}))
    assert alice.create("second", **{"Idempotency-Key": "k"}).status_code == 201
    assert len(alice.send("GET", NOTES).json()["records"]) == 2


@contextmanager
def no_file_grows(pid: int, above: int):
    """Simulate a full disk: limit the size of files that the process can write."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (above, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_answered_503_and_recovers(start):
    service = start("sqlite")
    alice = Caller(service)
    stored = [alice.create(f"{n}").json() for n in range(3)]
    with no_file_grows(service.worker, 1 << 15):
        for _ in range(3):
            assert refuses(alice.create("lost"))
        assert not alice.ready()
        assert alice.send("GET", NOTES).json()["records"] == stored
    wait_for(alice.ready)  # its check has 1.5 seconds, also on a busy machine
    stored.append(alice.create("after").json())
    assert alice.send("GET", NOTES).json()["records"] == stored


@on_sqlite
def test_a_read_only_connection_is_replaced(app, alice):
    """A connection that was opened on a read-only disk stays read-only."""
    assert alice.post(NOTES, {"title": "before"}).status_code == 201
    with app.app_context(), db.engine.connect() as connection:
        connection.connection.driver_connection.execute("PRAGMA query_only=ON")
    refused = alice.post(NOTES, {"title": "t"})
    assert (refused.status_code, refused.json["error"]) == (503, "unavailable")
    assert alice.post(NOTES, {"title": "after"}).status_code == 201
    assert len(alice.records("notes")) == 2


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_read_only_server_is_answered_503_and_recovers(app, alice, databases, settings):
    """As after a failover, or where its operator has so set it because the disk is full."""

    def alter(change: str) -> None:
        name = make_url(settings.database_url).database
        databases.cluster.execute(f'ALTER DATABASE "{name}" {change}')
        with app.app_context():
            db.engine.dispose()  # sessions keep the value with which they began

    assert alice.post(NOTES, {"title": "before"}).status_code == 201
    alter("SET default_transaction_read_only = on")
    try:
        refused = alice.post(NOTES, {"title": "t"})
        ready = alice.client.get("/readyz")
        told = command(environment(settings.database_url), "credits", "grant", "alice", "5")
    finally:
        alter("RESET default_transaction_read_only")
    assert (refused.status_code, refused.json["error"]) == (503, "unavailable")
    assert ready.status_code == 503
    assert "cannot execute" in told.output
    assert "read-only transaction" in told.output
    assert told.exit_code == 1
    assert alice.post(NOTES, {"title": "after"}).status_code == 201


SLOW = {
    "sqlite": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT max(x) FROM n",
    "postgresql": "SELECT pg_sleep(60)",
}  # fmt: skip


def test_a_statement_timeout_is_answered_503(app, client):
    @app.get("/slow")
    def slow():
        with time_limit(0.2):
            db.session.execute(text(SLOW[db.engine.dialect.name]))

    answer = client.get("/slow")
    assert (answer.status_code, answer.json["error"]) == (503, "unavailable")
    assert answer.headers["Retry-After"]
    wait_for(lambda: client.get("/readyz").status_code == 200)


@pytest.mark.settings(database_pool_size=1)
def test_an_exhausted_pool_is_answered_503(app, alice):
    assert alice.get(NOTES).status_code == 200
    with app.app_context(), db.engine.connect():
        answer = alice.get(NOTES)
    assert (answer.status_code, answer.json["error"]) == (503, "unavailable")
    assert alice.get(NOTES).status_code == 200


@on_sqlite
@pytest.mark.parametrize(
    ("configure", "is_synced"), [({"sqlite_sync": ""}, True), ({"sqlite_sync": "normal"}, False)]
)
def test_an_acknowledged_write_is_on_disk_unless_configured_otherwise(
    app, alice, monkeypatch, is_synced
):
    synced = []
    monkeypatch.setattr(commits, "_sync_data", synced.append)
    assert alice.post(NOTES, {"title": "t"}).status_code == 201
    assert bool(synced) == is_synced


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_record_whose_outcome_can_not_be_looked_up_is_not_known_to_be_created(alice, monkeypatch):
    """The connection is lost once more, by the look whether the record is there."""

    def lose_connection(session, *_):
        session.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    alice.get(NOTES)  # makes her row
    monkeypatch.setattr(creation, "_insert", lose_connection)
    monkeypatch.setattr(creation, "_find", lose_connection)
    answer = alice.post(NOTES, {"title": "first"})
    assert (answer.status_code, answer.json["error"]) == (503, "unavailable")
