"""A database in trouble: 503 and when to come again, soon, and everything works once it is well."""

import resource
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import requests
from sqlalchemy import text

from service.auth.tokens import issue
from service.database import limited
from service.extensions import db
from tests.faults.conftest import client_of
from tests.records.listening import Subscriber
from tests.services import Service, on_sqlite, settings_for, wait_for

NOTES = "/api/records/notes"
CONNECTIONS = 30  # at once: more than a pool has
HANGS = 15  # seconds after which an answer is taken for one that never comes


class Caller:
    """alice, with a new connection for each request."""

    def __init__(self, service: Service) -> None:
        self._url = service.url
        token = issue(settings_for(service.database_url), "alice", "user", 3600)
        self._headers = {"Authorization": f"Bearer {token}"}

    def send(self, method: str, path: str, body=None, seconds: float = HANGS, **headers: str):
        url, headers = self._url + path, {**self._headers, **headers}
        return requests.request(method, url, json=body, headers=headers, timeout=seconds)

    def ready(self) -> bool:
        return self.send("GET", "/readyz", seconds=4).status_code == 200

    def create(self, title: str = "t", **headers: str) -> requests.Response:
        note = {"title": title, "text": "x" * 20_000}
        return self.send("POST", NOTES, note, **headers)


def refuses(answer: requests.Response) -> bool:
    told = (answer.status_code, answer.json()["error"], "Retry-After" in answer.headers)
    return told == (503, "unavailable", True)


@pytest.mark.parametrize("mode", ["refuse", "hang"])
def test_a_postgresql_that_is_away_is_unavailable(proxied, mode):
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


def test_a_socket_outlives_a_database_that_is_away(proxied):
    service, proxy = proxied
    alice, waiting = Subscriber(service, "alice"), {"op": "create", "collection": "notes"}
    assert alice.subscribe("notes") == []
    proxy.set("refuse")
    told = alice.ask(**waiting, id=1, data={"title": "t"}, idempotencyKey="k")
    assert (told["type"], told["id"], told["error"]) == ("error", 1, "unavailable")
    proxy.set("pass")
    wait_for(Caller(service).ready)
    alice.send(**waiting, id=2, data={"title": "t"}, idempotencyKey="k")
    answers = {message["type"]: message for message in (alice.read(), alice.read())}
    assert answers["ok"]["record"] == answers["change"]["record"]
    alice.close()


def test_readiness_is_told_while_every_connection_hangs(proxied):
    service, proxy = proxied
    alice = Caller(service)
    assert alice.create().status_code == 201
    proxy.set("hang")
    with ThreadPoolExecutor(CONNECTIONS) as others:
        hanging = [others.submit(alice.send, "GET", NOTES) for _ in range(CONNECTIONS)]
        told = alice.send("GET", "/readyz", seconds=4)
        assert not all(each.done() for each in hanging), "others hold the connections meanwhile"
        assert (told.status_code, told.json()["database"]) == (503, False)
        assert all(refuses(each.result()) for each in hanging)


@pytest.mark.parametrize("with_key", [True, False])
def test_a_record_whose_commit_was_carried_out_is_made_once(proxied, with_key):
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


def test_a_record_whose_commit_was_lost_is_made_by_the_next_try(proxied):
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
    """A disk as good as full: the process writes to no file beyond so many bytes."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (above, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def test_a_disk_that_takes_no_more_is_unavailable_and_well_again(start):
    service = start("sqlite")
    alice = Caller(service)
    kept = [alice.create(f"{n}").json() for n in range(3)]
    with no_file_grows(service.worker, 1 << 15):
        for _ in range(3):
            assert refuses(alice.create("lost"))
        assert not alice.ready()
        assert alice.send("GET", NOTES).json()["records"] == kept
    assert alice.ready()
    kept.append(alice.create("after").json())
    assert alice.send("GET", NOTES).json()["records"] == kept


@on_sqlite
def test_a_connection_that_can_only_read_is_not_kept(app, alice):
    """As one is that was opened while the disk was read-only; it stays so for good."""
    assert alice.post(NOTES, {"title": "before"}).status_code == 201
    with app.app_context(), db.engine.connect() as connection:
        connection.connection.driver_connection.execute("PRAGMA query_only=ON")
    refused = alice.post(NOTES, {"title": "t"})
    assert (refused.status_code, refused.json["error"]) == (503, "unavailable")
    assert alice.post(NOTES, {"title": "after"}).status_code == 201
    assert len(alice.records("notes")) == 2


SLOW = {
    "sqlite": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT max(x) FROM n",
    "postgresql": "SELECT pg_sleep(60)",
}  # fmt: skip


def test_a_statement_whose_time_is_up_is_unavailable(app, client):
    @app.get("/slow")
    def slow():
        with limited(0.2):
            db.session.execute(text(SLOW[db.engine.dialect.name]))

    answer = client.get("/slow")
    assert (answer.status_code, answer.json["error"]) == (503, "unavailable")
    assert answer.headers["Retry-After"]
    assert client.get("/readyz").status_code == 200


@pytest.mark.settings(database_pool_size=1)
def test_a_pool_without_a_free_connection_is_unavailable(app, alice):
    assert alice.get(NOTES).status_code == 200
    with app.app_context(), db.engine.connect():
        answer = alice.get(NOTES)
    assert (answer.status_code, answer.json["error"]) == (503, "unavailable")
    assert alice.get(NOTES).status_code == 200


@on_sqlite
@pytest.mark.parametrize(("configure", "level"), [({}, 2), ({"sqlite_sync": "normal"}, 1)])
def test_what_is_acknowledged_is_on_disk_unless_the_operator_says_otherwise(app, level):
    with app.app_context(), db.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
