"""The greenlet of a session that sends what its client lacks."""

import gc
import socket
from contextlib import contextmanager

from gevent import Greenlet

from tests.services import on_sqlite, wait_for
from tests.socket_sessions import session_on

pytestmark = on_sqlite


@contextmanager
def begun(app):
    ours, theirs = socket.socketpair()
    with ours, theirs, app.app_context():
        session = session_on(ours, app)
        session.begin()
        catch_up(session)
        yield session
        session.end()
        session.socket.close(1000)


def catch_up(session):
    session.fall_behind()
    wait_for(lambda: session.is_quiet(0))


def greenlets():
    gc.collect()
    return sum(isinstance(one, Greenlet) and not one.dead for one in gc.get_objects())


def test_a_session_that_has_caught_up_keeps_no_greenlet(app, alice):
    alice.new_chat()  # so that she has rights
    with begun(app):
        before = greenlets()
        with begun(app) as session:
            assert greenlets() == before
            catch_up(session)
            assert greenlets() == before
