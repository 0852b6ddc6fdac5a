"""The pool of database connections."""

import sqlite3

import gevent
import pytest
from gevent.event import Event
from sqlalchemy import literal, select, text
from sqlalchemy.exc import OperationalError, TimeoutError

from service.database.access import core_transaction
from service.database.pool import CountedPool
from service.database.prepared import Prepared, reading
from service.extensions import db
from service.observing import attribution
from tests.services import on_sqlite, wait_for

ONE = Prepared(select(literal(1).label("one")))


def write(app):
    """A transaction. Returns the driver's connection that it had."""
    with core_transaction(app) as session:
        ONE.run(session.connection(), {})
        return session.connection().connection.dbapi_connection


def read(app):
    with reading(app) as connection:
        assert ONE.row(connection, {}).one == 1
        return connection.connection.dbapi_connection


def test_the_connection_that_was_used_last_is_used_next(app):
    """It knows the newest pages on SQLite, and needs no ping on PostgreSQL."""
    with app.app_context():
        for _ in range(2):
            with db.engine.connect() as last, db.engine.connect():
                used = last.connection.dbapi_connection
            with db.engine.connect() as following:
                assert following.connection.dbapi_connection is used


def test_a_transaction_leaves_its_connection_ready_for_the_next(app, monkeypatch):
    with app.app_context():
        written, was_read = write(app), read(app)
        monkeypatch.setattr(db.engine.pool, "_do_get", lambda: pytest.fail("another was taken"))
        assert write(app) is written
        assert read(app) is was_read
        assert db.engine.pool.checkedout() == 0, "it counts as used"


def connect_for(user, pool):
    attribution.begin(user=user)
    return pool.connect()


def test_a_user_leaves_three_connections_to_others(app, monkeypatch):
    with app.app_context():
        pool = db.engine.pool
        monkeypatch.setattr(pool, "_timeout", 0.1)
        with attribution.scope():
            of_alice = [connect_for("alice", pool) for _ in range(pool.size() - 3)]
            with pytest.raises(TimeoutError):
                connect_for("alice", pool)
            monkeypatch.setattr(pool, "_timeout", 20)
            waiting = gevent.spawn(connect_for, "alice", pool)
            gevent.sleep(0)
            of_others = [connect_for(user, pool) for user in ("bob", "bob", None)]
        for connection in (*of_others, of_alice.pop()):
            connection.close()
        waiting.get().close()
        for connection in of_alice:
            connection.close()
        assert (pool.checkedout(), pool.waiting) == (0, 0)


@pytest.mark.parametrize("use", [write, read])
def test_a_connection_that_was_kept_counts_for_its_next_user(app, monkeypatch, use):
    with app.app_context(), attribution.scope():
        pool = db.engine.pool
        monkeypatch.setattr(pool, "_timeout", 0.1)
        for user in ["alice"] * pool.size() + ["bob"]:  # each use ends before the next begins
            attribution.begin(user=user)
            use(app)
        of_bob = [connect_for("bob", pool) for _ in range(pool.size() - 3)]
        with pytest.raises(TimeoutError):
            use(app)
        for connection in of_bob:
            connection.close()
        use(app)

        engine = next(engine for engine, kept in pool._kept.items() if kept)
        of_bob = [pool.take(engine), *(connect_for("bob", pool) for _ in range(pool.size() - 4))]
        with pytest.raises(TimeoutError):
            connect_for("bob", pool)
        for connection in of_bob:
            connection.close()


@on_sqlite
def test_reads_and_writes_have_one_connection(app):
    """Each has a cache of pages of its own, which the commit of another makes worthless."""
    with app.app_context():
        assert write(app) is read(app) is write(app)


@on_sqlite
def test_a_write_after_a_read_begins_as_a_write(app):
    begun = []
    with app.app_context():
        write(app)
        driver = read(app)
        driver.set_trace_callback(begun.append)
        write(app)
        read(app)
    assert [text for text in begun if text.startswith("BEGIN")] == ["BEGIN IMMEDIATE", "BEGIN"]


def test_a_kept_connection_is_used_when_the_pool_is_exhausted(app, monkeypatch):
    with app.app_context():
        pool = db.engine.pool
        kept = write(app)
        others = [pool.connect() for _ in range(pool.size() - 1)]
        last = pool.connect()
        assert last.dbapi_connection is kept
        assert pool.checkedout() == pool.size()
        for connection in (*others, last):
            connection.close()


def test_a_waiting_greenlet_gets_the_connection_of_the_transaction_that_ends(app):
    with app.app_context():
        pool = db.engine.pool
        others = [pool.connect() for _ in range(pool.size() - 1)]
        with core_transaction(app):
            waiter = gevent.spawn(pool.connect)
            wait_for(lambda: pool.waiting == 1, 2)
        waiter.get(timeout=1).close()
        for connection in others:
            connection.close()
        assert pool.checkedout() == 0


@pytest.fixture
def used_up(app):
    """All connections of the pool."""
    with app.app_context():
        pool = db.engine.pool
        connections = [pool.connect() for _ in range(pool.size())]
        yield connections
        for connection in connections:
            connection.close()
        assert pool.checkedout() == 0


def waiters(count):
    """So many greenlets in the line for a connection, which give it back at once."""
    pool = db.engine.pool
    started = []
    for number in range(1, count + 1):
        started.append(gevent.spawn(lambda: pool.connect().close()))
        wait_for(lambda now=number: pool.waiting == now)
    return started


def test_waiting_greenlets_are_served_in_their_order(used_up):
    [first] = waiters(1)
    used_up.pop().close()
    used_up.append(db.engine.pool.connect())
    assert first.ready()


def test_a_waiting_greenlet_that_is_killed_leaves_its_turn_to_the_next(used_up):
    first, second = waiters(2)
    first.kill(block=False)
    used_up.pop().close()  # whose turn it is does not know yet that it ends
    second.get(timeout=1)


def test_a_connection_that_can_not_be_made_leaves_its_place_to_a_waiting_greenlet():
    gate, outcomes = Event(), iter([OSError, None])

    def connect():
        gate.wait()
        if error := next(outcomes):
            raise error
        return sqlite3.connect(":memory:")

    pool = CountedPool(connect, pool_size=1, max_overflow=0, timeout=5)
    first = gevent.spawn(pytest.raises, OSError, pool.connect)
    second = gevent.spawn(lambda: pool.connect().close())
    wait_for(lambda: pool.waiting == 1)
    gate.set()
    gevent.joinall([first, second], timeout=2, raise_error=True)
    assert second.ready()
    pool.dispose()


def test_a_transaction_that_fails_gives_its_connection_to_the_pool(app):
    with app.app_context():
        with pytest.raises(ZeroDivisionError), core_transaction(app):
            raise ZeroDivisionError
        assert not any(db.engine.pool._kept.values())
        write(app)
        assert db.engine.pool.checkedout() == 0


def test_kept_connections_are_closed_with_the_others(app):
    with app.app_context():
        write(app)
        read(app)
        pool = db.engine.pool
        assert any(pool._kept.values())
        db.engine.dispose()
        assert not any(pool._kept.values())
        write(app)
        assert db.engine.pool.checkedout() == 0


def test_a_transaction_that_outlives_the_pool_leaves_nothing_behind(app):
    with app.app_context():
        with core_transaction(app):
            old = db.engine.pool
            db.engine.dispose()
        assert not any(old._kept.values())
        assert not any(db.engine.pool._kept.values())


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_connection_that_is_in_use_when_its_pool_is_disposed_of_is_closed_afterwards(app):
    """Until its memory is collected, the server would keep a connection that nobody uses."""
    with app.app_context():
        with db.engine.connect() as connection:
            driver = connection.connection.dbapi_connection
            db.engine.dispose()
            assert connection.scalar(text("SELECT 1")) == 1
        assert driver.closed


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_kept_connection_that_the_server_has_ended_is_not_used(app):
    with app.app_context():
        ended = write(app)
        with db.engine.connect() as other:
            pid = ended.info.backend_pid
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        wait_for(lambda: not ended.is_fresh)
        assert write(app) is not ended


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_kept_connections_are_closed_when_the_database_is_lost(app):
    """The one that lies beside seems to be in order."""
    with app.app_context():
        kept = write(app)
        with pytest.raises(OperationalError), db.engine.connect() as lost:
            lost.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        assert kept.closed
        assert write(app) is not kept
        assert db.engine.pool.checkedout() == 0
