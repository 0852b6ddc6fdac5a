"""A backup that is made while the service writes, restored: docs/deployment.md, "Backups"."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gevent
import pytest
from flask import Flask
from sqlalchemy import func, select, update

from config import ROOT
from service import create_app
from service.app_keys import APP_SETTINGS
from service.auth.users import rights_cache
from service.billing.models import Entry
from service.database.access import write_transaction
from service.extensions import db
from service.records import changes, outbox
from service.records.cursor import Position, read_cursor
from service.records.models import FeedState, Outbox
from tests.faults.database_rows import app_of
from tests.integrations import office_suite
from tests.people import Person, person
from tests.postgres import binaries
from tests.services import close, command, environment, settings_for, wait_for

OTHER_CLUSTER = 10**12  # a transaction id far from any that the tests' own cluster gives
CALL = ("geocode-city", {"city": "Berlin"}, {"Idempotency-Key": "k"})


class Writer:
    """Creates notes until it is stopped, and keeps the ids of those that were acknowledged."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self.acknowledged: list[str] = []
        self._stopped = False
        self._greenlet = gevent.spawn(self._write)

    def _write(self) -> None:
        while not self._stopped:
            made = self._person.post("/api/records/notes", {"title": "a note"})
            assert made.status_code == 201, made.text
            self.acknowledged.append(made.json["recordId"])
            gevent.sleep(0.005)  # a request here waits for nothing, so nobody else would run

    def wait_for_more(self, count: int = 20) -> list[str]:
        """What is acknowledged after so many more notes."""
        least = len(self.acknowledged) + count
        wait_for(lambda: len(self.acknowledged) >= least)
        return list(self.acknowledged)

    def stop(self) -> None:
        self._stopped = True
        self._greenlet.get()


@contextmanager
def serving(url: str) -> Iterator[tuple[Flask, Person]]:
    rights_cache.clear()
    app = create_app(settings_for(url))
    app.extensions["sandbox"].start()
    try:
        yield app, person(app.test_client(), APP_SETTINGS.of(app), "alice")
    finally:
        close(app)


def run(program: Path | str, *arguments: str, **options: Any) -> None:
    """Run a program, while this process's greenlets go on."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr


def plain(url: str) -> str:
    """The URL as PostgreSQL's programs read it."""
    return url.replace("+psycopg", "")


def back_up(url: str, file: Path) -> None:
    if url.startswith("sqlite"):
        flask = ["-m", "flask", "--app", "wsgi", "backup", str(file)]
        run(sys.executable, *flask, cwd=ROOT, env=environment(url))
        assert file.stat().st_mode & 0o077 == 0
    else:
        run(
            binaries() / "pg_dump", "--format=custom", f"--file={file}", url.replace("+psycopg", "")
        )


def restored(file: Path, databases, url: str) -> str:
    if url.startswith("sqlite"):
        return f"sqlite:///{file}"
    new = databases.cluster.create("restored", template="template0")
    run(
        binaries() / "pg_restore",
        "--exit-on-error",
        f"--dbname={new.replace('+psycopg', '')}",
        str(file),
    )
    return new


def cursor(app: Flask) -> str:
    with app.app_context():
        text = str(changes.current_cursor(db.session()))
        db.session.rollback()
    return text


def test_a_restored_backup_has_what_was_acknowledged_before_it(
    app, alice, database_url, databases, tmp_path
):
    chat = alice.new_chat("A chat")
    alice.turn(chat, "hello")
    office_suite.connect(alice, "cloudsuite/mail-list")
    endpoint, body, key = CALL
    answer = alice.post(f"/api/integrations/{endpoint}", body, headers=key).json
    writer = Writer(alice)
    before = writer.wait_for_more()
    back_up(database_url, tmp_path / "backup")
    after = cursor(app)
    writer.wait_for_more()
    writer.stop()

    with serving(restored(tmp_path / "backup", databases, database_url)) as (new, again):
        flask = new.test_cli_runner()
        assert flask.invoke(args=["sweep"]).exit_code == 0
        notes = {record["recordId"] for record in again.records("notes", limit=200)}
        assert set(before) <= notes <= set(writer.acknowledged)
        assert [row["role"] for row in again.rows(chat)] == ["user", "assistant"]
        assert again.post(f"/api/integrations/{endpoint}", body, headers=key).json == answer
        assert "messages" in again.post("/api/integrations/cloudsuite/mail-list", {}).json["data"]
        assert again.get("/api/credits").json["balance"] == entries(new, "alice")
        assert again.turn(chat, "and again")[-1]["type"] == "finish"
        for _ in range(
            len(writer.acknowledged) - len(notes) + 1
        ):  # these take the lost ones' numbers
            again.post("/api/records/notes", {"title": "another note"})
        with new.app_context():
            assert not changes.can_resume(db.session(), read_cursor(after))
            db.session.rollback()


def entries(app: Flask, account: str) -> float:
    with app.app_context():
        total = db.session.scalar(select(func.sum(Entry.amount)).where(Entry.account == account))
        db.session.rollback()
    return int(total) / 1e6


def test_a_backup_never_replaces_a_file(databases, tmp_path):
    (tmp_path / "kept").write_text("of somebody else")
    done = command(environment(databases.make("sqlite")), "backup", str(tmp_path / "kept"))
    assert (done.exit_code, "File exists" in done.output) == (1, True)
    assert (tmp_path / "kept").read_text() == "of somebody else"


def test_a_backup_that_can_not_begin_names_what_stands_in_its_way(databases, tmp_path):
    database = environment(databases.make("sqlite"))
    missing = command(database, "backup", str(tmp_path / "none" / "copy"))
    assert f"{tmp_path}/none: No such file or directory" in missing.output
    (tmp_path / "copy.part").touch()
    killed = command(database, "backup", str(tmp_path / "copy"))
    assert "copy.part exists: a backup is being made, or one was killed" in killed.output
    assert [missing.exit_code, killed.exit_code] == [1, 1]


def test_the_command_names_the_program_for_postgresql(databases, tmp_path):
    done = command(environment(databases.make("postgresql")), "backup", str(tmp_path / "copy"))
    assert (done.exit_code, "pg_dump" in done.output) == (1, True)
    assert not (tmp_path / "copy").exists()


def test_transaction_ids_of_another_cluster_do_not_hold_up_the_feed(databases):
    """A database that was restored into a younger cluster has ids which that has not given yet."""
    with app_of(databases.make("postgresql")) as app:
        with write_transaction() as session:
            collection = app.extensions["collections"].get("notes")
            made = {"recordId": "r", "data": {"title": "t"}}
            outbox.append(session.connection(), [outbox.change(collection, "alice", None, made)])
        with write_transaction() as session:
            session.execute(update(Outbox).values(xid=OTHER_CLUSTER))
            session.execute(update(FeedState).values(pruned_xid=OTHER_CLUSTER))
        assert changes.read(db.session.connection(), Position(0, 0)).has_unsettled
        db.session.rollback()
        with write_transaction() as session:
            outbox.prune(session)
        assert not changes.read(db.session.connection(), Position(0, 0)).has_unsettled
        assert changes.pruned_position(db.session()) == Position(0, 0)
        db.session.rollback()


@pytest.fixture(autouse=True)
def _rights():
    yield
    rights_cache.clear()
