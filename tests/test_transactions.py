"""Transactions that the driver begins and ends, without SQLAlchemy's own."""

from contextlib import nullcontext

import gevent
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, PendingRollbackError

from service.chat.turn.interruption import Interrupted
from service.database.access import core_transaction, is_outage, write_transaction
from service.database.kept_transaction import has_begun
from service.database.prepared import Prepared, await_replies, reading
from service.database.time_limits import time_limit
from service.extensions import db
from tests.postgres import LOCK_WAITS
from tests.services import on_sqlite, wait_for

ADD = Prepared(text("INSERT INTO tried (id, of) VALUES (:id, :of)"))
IDS = text("SELECT id FROM tried ORDER BY id")
END_SESSION = text("SELECT pg_terminate_backend(:pid)")
NOWHERE = 99


@pytest.fixture
def tried(app):
    """A table whose rows refer to rows of it, which is checked at the commit."""
    refers = "REFERENCES tried (id) DEFERRABLE INITIALLY DEFERRED"
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(
            text(f"CREATE TABLE tried (id INTEGER PRIMARY KEY, of INTEGER {refers})")
        )
    yield
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text("DROP TABLE tried"))


@pytest.fixture
def ids(app, tried):
    def read():
        with reading(app) as connection:
            return list(connection.scalars(IDS))

    return read


def add(connection, number, of=None):
    return ADD.run(connection, {"id": number, "of": of})


def test_sqlalchemy_is_not_asked_for_a_transaction(app, ids):
    with core_transaction(app) as session:
        connection = session.connection()
        assert add(connection, 1) == 1
        assert has_begun(connection)
        assert not connection.in_transaction()
    assert ids() == [1]


def fail(_):
    raise KeyError


def write(app, *steps):
    """A transaction of steps, which get its `Statements`."""
    with core_transaction(app) as session:
        for step in steps:
            step(session)


def outcome_of(function, *arguments):
    """What it raises, or None."""
    try:
        function(*arguments)
    except BaseException as raised:
        return raised


def adds(number, of=None):
    return lambda session: add(session.connection(), number, of)


def executes(number):
    return lambda session: session.execute(text(f"INSERT INTO tried (id) VALUES ({number})"))


def test_statements_of_sqlalchemy_belong_to_the_same_transaction(app, ids):
    with pytest.raises(KeyError):
        write(app, adds(1), executes(2), fail)
    assert ids() == []
    write(app, adds(1), executes(2), adds(3))
    assert ids() == [1, 2, 3]


def test_a_savepoint_takes_back_only_what_is_within_it(app, ids):
    def within(session):
        with session.connection().begin_nested():
            adds(2)(session)
            adds(1)(session)

    def refused(session):
        with pytest.raises(IntegrityError):
            within(session)

    write(app, adds(1), refused, adds(3))
    assert ids() == [1, 3]


@on_sqlite
def test_a_refused_row_takes_nothing_else_back(app, ids):
    """SQLite's transaction goes on after a statement that it has refused."""

    def refused(session):
        with pytest.raises(IntegrityError):
            adds(1)(session)

    write(app, adds(1), refused, adds(2))
    assert ids() == [1, 2]


@pytest.mark.parametrize("before", [[], [executes(3)]], ids=["driver", "sqlalchemy"])
@pytest.mark.parametrize("limit", [nullcontext, lambda: time_limit(5)])
def test_a_refused_commit_takes_all_back_and_is_told(app, ids, before, limit):
    with limit(), pytest.raises(IntegrityError) as refused:
        write(app, *before, adds(1, of=NOWHERE))
    assert not is_outage(refused.value)
    assert ids() == []
    write(app, adds(2))
    assert ids() == [2]


def test_an_error_of_the_caller_takes_all_back(app, ids):
    with pytest.raises(KeyError):
        write(app, adds(1), fail)
    assert ids() == []


def lose(session):
    pid = session.connection().connection.dbapi_connection.info.backend_pid
    with session.connection().engine.connect() as other:
        other.execute(END_SESSION, {"pid": pid})


def notice(session):
    with pytest.raises(DBAPIError) as first:
        await_replies(session.connection())
    assert is_outage(first.value)
    with pytest.raises(PendingRollbackError):
        adds(2)(session)
    raise first.value


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("then", [[notice], [], [fail]])
def test_nothing_is_sent_on_another_connection_when_one_is_lost(app, ids, then, caplog):
    """Whether it is noticed in the transaction, at its commit or at its rollback."""
    with pytest.raises(DBAPIError) as lost:
        write(app, adds(1), lose, *then)
    assert is_outage(lost.value)
    assert ids() == []
    assert not caplog.records


def waiting(app):
    with reading(app) as connection:
        return connection.scalar(text(LOCK_WAITS))


LOCK = text("SELECT id FROM tried WHERE id = 1 FOR UPDATE")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("thrown", [Interrupted("stopped"), gevent.GreenletExit()], ids=repr)
def test_what_interrupts_a_commit_is_raised_and_closes_its_connection(app, ids, thrown, caplog):
    write(app, adds(1))
    with app.app_context(), db.engine.connect() as other:
        other.execute(LOCK)
        writer = gevent.spawn(outcome_of, write, app, adds(2, of=1))
        wait_for(lambda: waiting(app))
        writer.kill(thrown)
        assert db.engine.pool.checkedout() == 1  # that of the lock
    assert writer.value is thrown
    assert not caplog.records


@pytest.fixture
def interrupted(app, ids):
    """A read that was interrupted behind its first rows, while another connection wrote."""
    write(app, *map(adds, range(1, 10)))
    ends = []

    def read():
        try:
            with app.app_context():
                rows = db.session.scalars(IDS).yield_per(2)
                next(iter(rows))
                gevent.sleep(10)
        except Interrupted as end:
            ends.append(end)  # and with it the frames of the read

    reading_on = gevent.spawn(read)
    gevent.sleep(0)
    write(app, adds(10))
    reading_on.kill(Interrupted("stop"))
    return ends


def test_a_read_that_was_interrupted_keeps_nobody_from_writing(app, ids, interrupted):
    with app.app_context(), write_transaction() as session:
        executes(11)(session)
    assert (len(interrupted), ids()) == (1, list(range(1, 12)))
