"""Writes that are requested at the same time share a transaction; a failed one affects no other."""

import gevent
import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from service.auth.models import User
from service.database import batching
from service.database.access import write_transaction
from service.database.batching import SharedWrites
from service.database.prepared import Prepared
from service.extensions import db, table
from service.integrations.calling import kept_answers
from service.integrations.calling.kept_answers import AnswerKey
from tests.services import on_sqlite

USERS = table(User)


@pytest.fixture
def writes(app):
    return SharedWrites(app)


def store(session, rows):
    session.connection().execute(insert(USERS), rows)


def row(name):
    return {"subject": name, "disabled": False}


def subjects(app):
    with app.app_context():
        return set(db.session.scalars(select(USERS.c.subject)))


def count(statements, word):
    return sum(statement.startswith(word) for statement in statements)


def test_rows_of_one_moment_share_a_statement_and_a_transaction(app, writes, statements):
    ended = [writes.add(store, row(f"user-{number}")) for number in range(5)]
    gevent.wait(ended)
    assert (count(statements, "INSERT"), len(set(map(id, ended)))) == (1, 1)
    assert subjects(app) == {f"user-{number}" for number in range(5)}


def test_whoever_waits_finds_the_row(app, writes):
    for number in range(3):
        writes.add(store, row(f"user-{number}")).wait()
        assert f"user-{number}" in subjects(app)


def test_a_row_that_is_refused_takes_no_other_along(app, writes):
    ended = [writes.add(store, row(name)) for name in ("one", "two", "two", "three")]
    gevent.wait(ended)
    assert subjects(app) == {"one", "two", "three"}


def test_a_row_that_can_t_be_sent_takes_no_other_along(app, writes, capsys):
    ended = [writes.add(store, row(name)) for name in ("one", "\ud800", "two")]
    gevent.wait(ended)
    assert subjects(app) == {"one", "two"}
    assert "UnicodeEncodeError" in capsys.readouterr().err


def test_each_is_called_at_the_end_if_another_fails(app, writes, monkeypatch):
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    ends = []

    def fail():
        raise ZeroDivisionError

    gevent.wait(
        [writes.add(store, row(n), end) for n, end in (("a", fail), ("b", lambda: ends.append(1)))]
    )
    assert (subjects(app), ends) == ({"a", "b"}, [1])


def test_a_caller_that_is_killed_takes_no_row_along(app, writes):
    callers = [
        gevent.spawn(lambda n=number: writes.add(store, row(f"user-{n}")).wait())
        for number in range(2)
    ]
    gevent.sleep(0)
    callers[0].kill(block=False)
    gevent.joinall(callers)
    assert subjects(app) == {"user-0", "user-1"}


def test_a_transaction_has_a_largest_size(app, writes, monkeypatch):
    monkeypatch.setattr(batching, "MOST_ITEMS", 2)
    ended = [writes.add(store, row(f"user-{number}")) for number in range(5)]
    gevent.wait(ended)
    assert len(set(map(id, ended))) == 3
    assert len(subjects(app)) == 5


def test_an_outage_is_not_tried_again_for_each_row(app, writes, capsys):
    tries = []

    def fail(_session, rows):
        tries.append(len(rows))
        raise OperationalError("INSERT", {}, Exception(), connection_invalidated=True)

    ends = []
    ended = [writes.add(fail, row("one"), lambda: ends.append(1)) for _ in range(3)]
    gevent.wait(ended)
    assert (tries, len(ends)) == ([3], 3)
    assert '"rows": 3' in capsys.readouterr().err


def test_searches_of_one_moment_share_a_statement(app, statements):
    answers = app.extensions["proxy"]._lookups._answers
    keys = [AnswerKey(f"{number:064}", "anvils-list", None, 60) for number in range(4)]

    def find(key):
        with app.app_context():
            return answers.find(key)

    with app.app_context():
        kept = [answers.keep(key, {"n": key.digest}).ended for key in keys[:2]]
    gevent.wait(kept)
    statements.clear()
    finding = [gevent.spawn(find, key) for key in keys]
    gevent.joinall(finding, raise_error=True)
    found = [one.value and one.value.data.value for one in finding]
    assert found == [{"n": keys[0].digest}, {"n": keys[1].digest}, None, None]
    assert count(statements, "SELECT") == 1


def test_a_search_raises_the_error_of_the_database(app, monkeypatch):
    answers = app.extensions["proxy"]._lookups._answers
    monkeypatch.setattr(kept_answers, "FIND", Prepared(text("SELECT * FROM nothing")))
    with app.app_context(), pytest.raises(DBAPIError):
        answers.find(AnswerKey("0" * 64, "anvils-list", None, 60))


def test_an_answer_is_found_before_it_is_written(app, statements):
    answers = app.extensions["proxy"]._lookups._answers
    key = AnswerKey("0" * 64, "anvils-list", None, 60)
    with app.app_context():
        written = answers.keep(key, {"n": 1})
        assert (answers.find(key).data, statements) == (written.answer, [])
        written.ended.wait()
        assert answers.find(key).data.value == {"n": 1}
    assert len(statements) > 0


@on_sqlite
def test_rows_wait_for_another_writer(app, writes):
    with app.app_context(), write_transaction():
        ended = writes.add(store, row("one"))
        gevent.sleep(0.05)
        assert not ended.is_set()
    ended.wait()
    assert subjects(app) == {"one"}
