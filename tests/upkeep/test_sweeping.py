"""The sweeper of a worker, which works until the worker ends."""

import json
import sqlite3
from types import SimpleNamespace
from unittest.mock import Mock

import gevent
import pytest
from sqlalchemy.exc import DatabaseError

from service import supervised
from service.chat import indexed_words
from service.chat.finding import index
from service.extensions import db
from service.upkeep import sweeping
from tests.query_plans import noting_plans, noting_whole_tables
from tests.services import on_sqlite, wait_for


def refusal(code):
    error = sqlite3.DatabaseError()
    error.sqlite_errorcode = code
    return DatabaseError("", {}, error)


def failing(error):
    def fail():
        raise error

    return fail


@on_sqlite
@pytest.mark.parametrize(
    ("error", "later"),
    [
        (refusal(sqlite3.SQLITE_CORRUPT), 1),
        (ValueError(), 1),
        (refusal(sqlite3.SQLITE_BUSY), 0),
        (gevent.GreenletExit(), 0),
        (KeyboardInterrupt(), 0),
    ],
    ids=repr,
)
def test_a_step_that_fails_keeps_no_other_from_being_taken(app, monkeypatch, error, later):
    media = Mock(sweep=Mock(return_value=0))
    monkeypatch.setitem(app.extensions, "media_sweeper", media)
    monkeypatch.setattr(indexed_words, "put_back", failing(error))
    with app.app_context(), pytest.raises(type(error)):
        sweeping.sweep()
    assert media.sweep.call_count == later


@on_sqlite
def test_each_step_that_fails_is_logged_also_before_another_one(app, monkeypatch, capsys):
    """Only the last error is raised."""
    monkeypatch.setattr(indexed_words, "put_back", failing(ValueError()))
    monkeypatch.setattr(index, "forget_deleted", failing(refusal(sqlite3.SQLITE_CORRUPT)))
    with app.app_context(), pytest.raises(DatabaseError):
        sweeping.sweep()
    lines = map(json.loads, capsys.readouterr().err.splitlines())
    failed = [(one["step"], one["error"]) for one in lines if one["event"] == "step not swept"]
    assert failed == [("words", "ValueError"), ("index", "DatabaseError")]


class Media:
    """A sweeper of media that fails at first, in a way that nobody expects."""

    sweeps = 0

    def sweep(self) -> int:
        self.sweeps += 1
        if self.sweeps == 1:
            raise ValueError
        return 0


@on_sqlite
def test_an_unexpected_error_does_not_end_the_sweeping(app, monkeypatch, capsys):
    media, watch = Media(), SimpleNamespace(look=lambda: None, is_steady=True, silent=())
    monkeypatch.setitem(app.extensions, "media_sweeper", media)
    monkeypatch.setitem(app.extensions, "lease_watch", watch)
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    monkeypatch.setattr(supervised, "RESTART_SECONDS", 0.01)
    for name in ("LOOK_SECONDS", "SWEEP_SECONDS"):
        monkeypatch.setattr(sweeping, name, 0.01)
    running = sweeping.start(app)
    try:
        wait_for(lambda: media.sweeps > 1)
    finally:
        running.kill()
    assert '"work": "sweeper"' in capsys.readouterr().err


# Whose rows are few: `answer_sweep` bounds the answers, and approvals last a day.
SMALL = {"leases", "claims", "integration_answers", "approvals"}


@on_sqlite
def test_no_sweep_reads_a_whole_table(app):
    """It would every ten seconds, however little is old: SQLite reads in the worker itself."""
    with noting_whole_tables(app) as names, app.app_context():
        sweeping.sweep()
    assert names & set(db.metadata.tables) <= SMALL


@on_sqlite
def test_a_sweep_looks_at_no_media_that_are_kept(app):
    with noting_plans(app) as lines, app.app_context():
        sweeping.sweep()
    assert {line for line in lines if line.startswith(("SEARCH media ", "SCAN media"))} == {
        "SEARCH media USING INDEX ix_media_user_id (user_id=?)",
        "SEARCH media USING INDEX ix_media_expires_at (expires_at<?)",
    }
