"""A client's session on the socket: its operations, and what it is told of its subscriptions.

One greenlet reads operations, another writes what has changed. The writer has one place in the
feed for all subscriptions, so a slow client costs no more than its place.
Source: contract section 7.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gevent
import structlog
from flask import Flask
from gevent.event import Event
from gevent.lock import BoundedSemaphore
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import Caller
from service.errors import Forbidden, Unauthorized
from service.fields import unstorable
from service.frames import Piece
from service.json_values import encode
from service.lifecycle import let_others_run
from service.records import permissions
from service.records.changes import Change, Scope
from service.records.cursor import Position
from service.records.entitlement import Entitlement
from service.records.feed import Feed, Forgotten
from service.records.line import Lines
from service.records.subscription import Id, Subscription
from service.websocket import Closed, WebSocket

BATCH_BYTES = 256 << 10  # of one write
SESSION_OVER, RESTART, FAILED = 4401, 1012, 1011
SESSION_IS_OVER = "the session is over"

log = structlog.get_logger("socket")


class Live:
    """A `Listener` of the feed. While `_pending`, the writer has changes to look at; otherwise
    its place is where the feed's tail is."""

    def __init__(self, app: Flask, caller: Caller, expires: float, socket: WebSocket) -> None:
        self.subject = caller.subject
        self.caller = caller
        self.place = Position(0, 0)
        self.subscriptions: dict[Id, Subscription] = {}
        self._app = app
        self.entitlement = Entitlement(caller, expires)
        self._socket = socket
        self._feed: Feed = app.extensions["feed"]
        self._wake = Event()
        self._pending = False
        self._telling = BoundedSemaphore(1)  # held from making a batch until it is written
        self._snapshots: Lines = app.extensions["snapshots"]

    def begin(self) -> gevent.Greenlet:
        """Listen, and write from now on. Needs an app context."""
        self._feed.join(self)
        self._writer = gevent.spawn(self._write)
        return self._writer

    def end(self) -> None:
        try:
            self._writer.kill()  # before the feed may stop, in which it reads
        finally:
            self._feed.leave(self)

    def restart(self) -> None:
        """This worker is ending: the client connects to another."""
        self._socket.close(RESTART, "the server restarts")

    def say(self, message: dict[str, Any]) -> None:
        """Raises `Closed`."""
        text = encode(message)
        # Escaped where UTF-8 can't carry it: an error may repeat a client's lone surrogate.
        self._socket.send(json.dumps(message) if unstorable(text) else text)

    def say_in_pieces(self, pieces: Iterable[Piece]) -> None:
        """Send one message in pieces. Raises `Closed`."""
        self._socket.send_in_pieces(pieces)

    def subscribe(self, subscription: Subscription) -> None:
        self.subscriptions[subscription.id] = subscription
        self._look()

    def unsubscribe(self, id: Id) -> bool:
        """No change follows; False when there is no such subscription."""
        with self._telling:
            return self.subscriptions.pop(id, None) is not None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A context for a snapshot: no other one of this user's is being sent in this worker, and
        this socket writes nothing. Raises `Closed`."""
        self._socket.wait_until_idle()
        with self._snapshots.turn(self.subject, self._socket.wait_for):
            yield

    def hear(self, read: list[Change], tail: Position) -> None:
        if self._pending:
            return
        if any(self._concerns(change) for change in read):
            self._look()
        else:
            self.place = tail

    def look_up(self) -> None:
        if self.entitlement.is_over:
            # Not left to the writer, which may be waiting for a slow client.
            gevent.spawn(self._socket.close, SESSION_OVER, SESSION_IS_OVER)
        elif self.entitlement.is_outdated:
            self._wake.set()

    def _look(self) -> None:
        self._pending = True
        self._wake.set()

    def _concerns(self, change: Change) -> bool:
        return any(s.concerns(change, self.subject) for s in self.subscriptions.values())

    def _write(self) -> None:
        try:
            while True:
                self._wake.wait()
                self._wake.clear()
                try:
                    self._tell()
                except Forgotten:
                    self._begin_anew()
        except Closed:
            return
        except Unauthorized:
            self._socket.close(SESSION_OVER, SESSION_IS_OVER)
        except SQLAlchemyError as error:
            log.warning("socket failed", error=type(error).__name__)
            self._socket.close(FAILED, "please connect again")

    def _follow_rights(self) -> None:
        """Raises `Unauthorized` when they are gone."""
        if self.entitlement.is_outdated:
            self.entitlement.check_token()
            with self._app.app_context():  # which takes as long as all the rest
                self._revise()

    def _revise(self) -> None:
        role = self.entitlement.role()
        for subscription in list(self.subscriptions.values()):
            if subscription.role != role:
                self._adapt(subscription, role)

    def _adapt(self, subscription: Subscription, role: str) -> None:
        """Another role: the same set of records, another one, or none."""
        collection = subscription.collection
        rule = permissions.rule(collection, role, "read")
        before = (subscription.rule, permissions.visible(collection, subscription.role))
        if before == (rule, permissions.visible(collection, role)):
            subscription.role = role
            return
        del self.subscriptions[subscription.id]
        if rule:
            self.say({"type": "resync", "id": subscription.id})
        else:
            self.say(error_message(subscription.id, Forbidden()))

    def _tell(self) -> None:
        """Everything that has changed up to now."""
        while True:
            self._follow_rights()
            for subscription in self._behind():
                self._catch_up(subscription)
            read, self.place = self._feed.after(self.place, self._scope)
            # What has been registered since must not hear of these before what it missed.
            self._send(read, [s for s in self.subscriptions.values() if not s.behind])
            if self.place == self._feed.tail and not self._behind():
                self._pending = False
                return
            let_others_run()

    def _behind(self) -> list[Subscription]:
        return [s for s in self.subscriptions.values() if s.behind]

    def _begin_anew(self) -> None:
        """What was missed is gone: every subscription has to be made again."""
        told = [{"type": "resync", "id": id} for id in self.subscriptions]
        self.subscriptions.clear()
        self.place, self._pending = self._feed.tail, False
        for message in told:
            self.say(message)

    def _catch_up(self, subscription: Subscription) -> None:
        """From a new subscription's cursor to our place in the feed."""
        assert subscription.cursor
        place = subscription.cursor.position
        while place < self.place:
            let_others_run()
            self._follow_rights()
            if not self._stands(subscription):
                return
            read, place = self._feed.after(place, partial(self._scope, subscription))
            due = [change for change in read if change.position <= self.place]
            self._send(due, [subscription])
        subscription.behind = False

    def _stands(self, subscription: Subscription) -> bool:
        """Whether it is subscribed still; its id may be another one's by now."""
        return self.subscriptions.get(subscription.id) is subscription

    def _scope(self, only: Subscription | None = None) -> Scope:
        wanted = [only] if only else list(self.subscriptions.values())
        everybody = any(subscription.rule is True for subscription in wanted)
        names = tuple(sorted({subscription.collection.name for subscription in wanted}))
        return Scope(names, None if everybody else self.subject)

    def _send(self, read: list[Change], told: list[Subscription]) -> None:
        rest = iter(read)
        while self._send_batch(rest, told):
            let_others_run()  # or an answer would wait for all of them: the lock is not fair
            self._follow_rights()

    def _send_batch(self, read: Iterator[Change], told: list[Subscription]) -> bool:
        """Whether there may be more. Until it is written, nobody is unsubscribed."""
        batch: list[bytes] = []
        size = 0
        with self._telling:
            told = list(filter(self._stands, told))
            for change in read:
                for subscription in told:
                    if not subscription.concerns(change, self.subject):
                        continue
                    if message := subscription.message(change):
                        batch.append(message)
                        size += len(message)
                if size > BATCH_BYTES:
                    break
            if batch:
                self._socket.send(*batch)
        return size > BATCH_BYTES


def error_message(id: Any, error: Any) -> dict[str, Any]:
    """A `ServiceError` as the socket says it."""
    return {"type": "error", "id": id, "error": error.code, "message": error.message, **error.facts}
