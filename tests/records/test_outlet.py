"""The feed sends through an open outlet at once. What stands against sending revokes it."""

import socket
import time

import gevent
import pytest

from service.auth.users import Caller, Rights, rights_cache
from service.records.audience import Audiences
from service.records.cursor import Position
from service.records.live import SocketSession
from service.records.outlet import REVOKED
from service.websockets.frames import Protocol, frame
from service.websockets.websocket import WebSocket
from tests.handshake import HANDSHAKE
from tests.records.board import change, subscription
from tests.services import on_sqlite

pytestmark = on_sqlite


class Board:
    """Sessions on sockets, in one audience. The test delivers changes in place of a feed."""

    def __init__(self, app):
        self.app, self.audiences, self.clients = app, Audiences(), {}
        self.tail = 0

    def session(self, seconds=60.0):
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        rights_cache._keep("alice", Rights("user", False, None), time.monotonic())
        caller = Caller("alice", "user", time.time())
        connection = WebSocket(ours, Protocol(HANDSHAKE.items(), None), "/")
        session = SocketSession(self.app, caller, time.time() + seconds, connection)
        self.audiences.join(session, [subscription()])
        self.clients[session] = theirs
        self.read(session)  # the answer to the handshake
        return session

    def deliver(self, text="hello"):
        self.tail += 1
        self.audiences.deliver([change(self.tail, text=text)], Position(0, self.tail))

    def read(self, session, size=1 << 20):
        try:
            return self.clients[session].recv(size)
        except BlockingIOError:
            return b""

    def read_until(self, session, writer):
        """Read what comes until a greenlet has written all."""
        received = b""
        while not writer.ready():
            received += self.read(session)
            gevent.sleep(0)
        return received + self.read(session, 1 << 24)

    def is_open(self, session):
        outlet = session.outlet
        return outlet.version == rights_cache.version and time.time() < outlet.expires


@pytest.fixture
def board(app):
    app.extensions["feed"].delivered = Position(0, 0)
    board = Board(app)
    yield board
    for session, client in board.clients.items():
        client.close()
        session.socket._sock.close()


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
    session = board.session(seconds=0.3)
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


def test_who_leaves_in_the_middle_of_a_delivery_receives_nothing_more(board):
    sessions = [board.session() for _ in range(200)]
    board.deliver("before")
    last = sessions[-1]
    gevent.spawn(board.audiences.leave, last)  # at the first pause
    board.deliver("after")
    received = {session: board.read(session) for session in sessions}
    assert b'"after"' not in received.pop(last)
    assert all(b'"after"' in each for each in received.values())
