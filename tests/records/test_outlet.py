"""The feed sends through an open outlet at once. What stands against sending revokes it."""

import time

import gevent
import pytest

from service.auth.users import rights_cache
from service.records.cursor import Position
from service.records.outlet import REVOKED
from service.websockets.frames import frame
from tests.records.board import change
from tests.services import on_sqlite

pytestmark = on_sqlite


def test_an_outlet_opens_with_the_first_change_and_takes_each_change_once(board):
    session, asked = board.session(), []
    deliver = session.deliver
    session.deliver = lambda *args: asked.append(args) or deliver(*args)
    for text in ("one", "two", "three"):
        board.deliver(text)
    board.audiences.deliver([change(3, text="three")], Position(0, 3))  # it has that one already
    received = board.read(session)
    assert [received.count(text) for text in (b'"one"', b'"two"', b'"three"')] == [1, 1, 1]
    assert len(asked) == 2  # to open it, and because of the repetition


def expire(board, session):
    gevent.sleep(session.outlet.expires - time.time() + 0.01)


REVOCATIONS = {
    "the rights of somebody have changed": lambda *_: rights_cache.forget("alice"),
    "its token has expired": expire,
    "it has fallen behind": lambda _, session: session.fall_behind(),
    "its connection was closed": lambda _, session: session.socket.close(1000),
    "its connection was lost": lambda _, session: session.socket._abort(),
}


@pytest.mark.parametrize("reason", REVOCATIONS)
def test_a_session_receives_nothing_more_once(board, reason):
    session = board.session(seconds=1)
    board.deliver("before")
    assert board.is_open(session)
    REVOCATIONS[reason](board, session)
    assert not board.is_open(session)
    board.deliver("after")
    assert b'"before"' in (received := board.read(session))
    assert b'"after"' not in received


def test_no_change_gets_into_a_frame_that_another_greenlet_is_writing(board):
    session = board.session()
    board.deliver()
    before = board.read(session)
    writer = gevent.spawn(session.socket.send, text := b"x" * 3_000_000)
    gevent.sleep(0)
    received = board.read(session)  # the kernel has room again, and the writer has not run yet
    board.deliver()
    received += board.read_until(session, writer)
    assert (before.count(b'"hello"'), received == frame(text)) == (1, True)


def test_what_the_kernel_does_not_take_is_kept_and_the_session_falls_behind(board):
    session, expected = board.session(), []
    while not expected or board.is_open(session):
        expected.append(str(len(expected)) + "y" * 60_000)
        board.deliver(expected[-1])
    board.deliver("later")  # not by the feed any more
    assert session.outlet.version == REVOKED
    received = board.read_until(session, gevent.spawn(session.socket.flush))
    assert [text for text in expected if text.encode() in received] == expected
    assert received.count(b'"type":"change"') == len(expected)


def test_a_session_that_leaves_during_a_delivery_receives_nothing_more(board):
    sessions = [board.session() for _ in range(200)]
    board.deliver("before")
    last = sessions[-1]
    gevent.spawn(board.audiences.leave, last)  # at the first pause
    board.deliver("after")
    received = {session: board.read(session) for session in sessions}
    assert b'"after"' not in received.pop(last)
    assert all(b'"after"' in each for each in received.values())
