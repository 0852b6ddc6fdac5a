"""A collection with its changes and subscriptions, without a database; sessions without a feed."""

import socket
import time

import gevent

from service.auth.users import Rights, rights_cache
from service.records import where
from service.records.audience import Audiences
from service.records.changes import Change
from service.records.collection import Collection, Column
from service.records.cursor import Cursor, Position
from service.records.subscription import Subscription
from tests.socket_sessions import session_on

BOARD = Collection("board", (Column("userId", fixed=True), Column("text")), {})


def subscription(id="s", rule=True, **filter):
    cursor = Cursor("here", Position(0, 0))
    return Subscription(id, BOARD, "user", rule, where.parse(BOARD, "user", filter), cursor, False)


def change(seq, owner="alice", text="hello"):
    after = {"recordId": "r", "data": {"text": text}, "createdAt": "", "updatedAt": ""}
    return Change(Position(0, seq), "board", "r", owner, "added", None, after, 10)


class Board:
    """Sessions on sockets, in one audience. The test delivers changes in place of a feed."""

    def __init__(self, app):
        self.app, self.audiences, self.clients = app, Audiences(), {}
        self.tail = 0

    def session(self, seconds=60.0):
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        rights_cache._keep("alice", Rights("user", False, None), time.monotonic() + seconds)
        session = session_on(ours, self.app, seconds)
        session._writer.end()  # it would read from the feed
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
