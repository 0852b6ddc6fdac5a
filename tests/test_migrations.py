"""One history on both databases, up and down, and on a database with rows in it."""

import errno
import fcntl
import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import gevent
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from click import ClickException
from flask_migrate import downgrade, upgrade
from sqlalchemy import select, text

from config import ROOT
from service.chat.models import JournalEntry
from service.database import migration_lock
from service.database.access import write_transaction
from service.database.revisions import newest_revision, stored_revision
from service.extensions import db
from tests.chat.turns import NOTES, call_tool
from tests.postgres import LOCK_WAITS
from tests.services import on_sqlite, wait_for

FIRST = "0001"
IN_USE = "^the database can't be used: canceling statement due to lock timeout$"


def is_mapped(_item, name, *_):
    """Whether a model has it: the indexes of the search over chats are the databases' own."""
    return not (name or "").startswith("search_")


def test_the_models_are_what_the_migrations_make(app):
    with app.app_context(), db.engine.connect() as connection:
        options = {"compare_type": True, "include_object": is_mapped}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, db.metadata) == []


def test_the_changelog_names_the_newest_migration():
    unreleased = (ROOT / "CHANGELOG.md").read_text().split("## Unreleased")[1].split("\n## ")[0]
    [named] = re.findall(r"applies the migrations \d{4} to (\d{4})", unreleased)
    assert named == newest_revision()


def test_upgrading_a_filled_database_keeps_every_row(app, alice):
    chat = alice.new_chat("Kept")
    alice.turn(chat, "who am I")
    before = alice.rows(chat)
    with app.app_context():
        downgrade(revision=FIRST)
        upgrade()
    assert alice.rows(chat) == before


def test_the_journal_learns_whose_records_it_tells_of(app, alice, admin):
    notes = [alice.post("/api/records/notes", {"title": t}).json["recordId"] for t in "ab"]
    chat = admin.new_chat()
    call_tool(admin, chat, "records.update", **NOTES, recordId=notes[0], data={"title": "c"})
    call_tool(admin, chat, "records.delete", **NOTES, recordId=notes[1])
    call_tool(admin, chat, "records.create", **NOTES, data={"title": "own"})
    with app.app_context():
        downgrade(revision="0007")
        upgrade()
        owners = db.session.scalars(select(JournalEntry.owner).order_by(JournalEntry.seq)).all()
        db.session.commit()
    assert owners == ["alice", "alice", "admin"]


def test_everything_can_be_taken_down_and_put_up_again(app, alice):
    with app.app_context():
        downgrade(revision="base")
        assert set(db.inspect(db.engine).get_table_names()) <= {"alembic_version"}
        upgrade()
    assert alice.new_chat()


on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


def migrate(app):
    with app.app_context():
        upgrade()


def test_a_release_that_is_taken_back_leaves_the_database_as_it_is(app):
    run = app.test_cli_runner().invoke
    with app.app_context(), write_transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    upgraded = run(args=["db", "upgrade"])
    assert "A later release has migrated this database, to later." in upgraded.output
    assert upgraded.exit_code == 0
    assert run(args=["db", "downgrade"]).exit_code != 0
    with app.app_context():
        assert stored_revision() == "later"


@contextmanager
def another_migration(app):
    """That of another process, which has begun."""
    if db.engine.dialect.name == "postgresql":
        with db.engine.connect() as other:
            assert other.scalar(migration_lock.LOCK)
            other.commit()
            yield
            other.invalidate()  # as at the end of its process
        return
    directory = os.open(Path(db.engine.url.database).parent, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    yield
    fcntl.flock(directory, fcntl.LOCK_UN)
    os.close(directory)


def test_of_two_migrations_at_once_one_waits_for_the_other(app, monkeypatch):
    """Two hosts that start together would make each table twice."""
    monkeypatch.setattr(migration_lock, "RETRY_SECONDS", 0.02)
    pauses, sleep = [], gevent.sleep

    def pause(seconds):
        pauses.append(seconds)
        sleep(seconds)

    with app.app_context():
        downgrade(revision="0034")
        with another_migration(app), monkeypatch.context() as patched:
            patched.setattr(migration_lock, "gevent", SimpleNamespace(sleep=pause))
            run = app.test_cli_runner().invoke
            migrating = gevent.spawn(run, args=["db", "upgrade"])
            wait_for(lambda: len(pauses) > 5 or migrating.ready())
            assert not migrating.ready()
        done = migrating.get(timeout=30)
        assert (done.exit_code, done.output.count("Another command migrates")) == (0, 1)
        assert stored_revision() == newest_revision()


@on_sqlite
def test_a_file_system_without_locks_of_directories_is_migrated_all_the_same(app, monkeypatch):
    """NFS wants a descriptor that may write, which a directory has not."""

    def refused(*_):
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(migration_lock.fcntl, "flock", refused)
    with app.app_context():
        downgrade(revision="0034")
        assert app.test_cli_runner().invoke(args=["db", "upgrade"]).exit_code == 0
        assert stored_revision() == newest_revision()


@on_sqlite
def test_migrating_waits_for_whoever_writes(app):
    with app.app_context():
        downgrade(revision="0008")
        with db.engine.connect().execution_options(immediate=True) as writer, writer.begin():
            migrating = gevent.spawn(migrate, app)
            gevent.sleep(0.3)
            assert not migrating.ready()
        migrating.get(timeout=30)


@on_postgresql
def test_migrating_holds_one_migrations_locks_at_a_time(app):
    """The journal is altered before the turns: who writes both in the other order is not in its
    way."""
    with app.app_context():
        downgrade(revision="0008")
        looking = db.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # A transaction would see one moment. Whoever watches is done before the migration goes on,
        # whose end leaves connections that are in use to nobody.
        with db.engine.begin() as writer, looking as watching:
            writer.exec_driver_sql("LOCK TABLE turns IN ROW EXCLUSIVE MODE")
            migrating = gevent.spawn(migrate, app)
            wait_for(lambda: watching.exec_driver_sql(LOCK_WAITS).scalar() or migrating.ready())
            writer.exec_driver_sql("LOCK TABLE journal IN ROW EXCLUSIVE MODE")
        migrating.get(timeout=30)


@on_postgresql
def test_migrating_gives_up_before_those_who_wait_behind_it_do(app):
    """A lock that is waited for stops whoever asks for the table later, for as long as a long
    read, such as a backup, goes on."""
    with app.app_context():
        downgrade(revision="0008")
        with db.engine.begin() as reading:
            reading.exec_driver_sql("SELECT count(*) FROM journal")
            with gevent.Timeout(30), pytest.raises(ClickException, match=IN_USE):
                upgrade()
        upgrade()


@on_postgresql
@pytest.mark.parametrize(("before", "table"), [("0021", "entries"), ("0024", "messages")])
def test_an_index_whose_build_gave_up_is_built_at_the_next_try(app, before, table):
    """Whoever writes meanwhile is not in its way, nor it in theirs."""
    with app.app_context():
        downgrade(revision=before)
        with db.engine.begin() as writing:
            writing.exec_driver_sql(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE")
            with gevent.Timeout(30), pytest.raises(ClickException, match=IN_USE):
                upgrade()
            with db.engine.begin() as other:  # nothing waits any more
                other.exec_driver_sql(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE NOWAIT")
        upgrade()
        with db.engine.connect() as connection:
            options = {"include_object": is_mapped}
            context = MigrationContext.configure(connection, opts=options)
            assert compare_metadata(context, db.metadata) == []
            broken = "SELECT count(*) FROM pg_index WHERE NOT indisvalid"
            assert connection.exec_driver_sql(broken).scalar() == 0


@on_postgresql
def test_entries_are_written_while_their_index_is_built(app):
    """A build that locks the ledger would stop every charge for as long as it takes."""
    with app.app_context():
        downgrade(revision="0021")
        looking = db.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        with db.engine.begin() as writing:
            writing.exec_driver_sql("LOCK TABLE entries IN ROW EXCLUSIVE MODE")
            migrating = gevent.spawn(migrate, app)
            with looking as watching:
                wait_for(lambda: watching.exec_driver_sql(LOCK_WAITS).scalar() or migrating.ready())
            with db.engine.begin() as other:
                other.exec_driver_sql("LOCK TABLE entries IN ROW EXCLUSIVE MODE NOWAIT")
        migrating.get(timeout=30)


REMAKES_A_PARENT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "test", {head!r}, None, None


def upgrade():
    with op.batch_alter_table("chats", recreate="auto") as batch:
        batch.alter_column("title", type_=sa.String(length=300))
        batch.add_column(sa.Column("colour", sa.String(length=9), nullable=True))
"""


def test_altering_a_parent_keeps_its_children(app, alice, tmp_path):
    """SQLite's batch mode makes the table anew; with foreign keys on, that would cascade."""
    chat = alice.new_chat()
    alice.turn(chat, "hello")
    copied = shutil.copytree(ROOT / "migrations", tmp_path / "migrations")
    script = REMAKES_A_PARENT.format(head=newest_revision())
    (copied / "versions" / "test.py").write_text(script)
    with app.app_context():
        upgrade(directory=str(copied))
        columns = {column["name"] for column in db.inspect(db.engine).get_columns("chats")}
    assert "colour" in columns
    assert len(alice.rows(chat)) == 2
