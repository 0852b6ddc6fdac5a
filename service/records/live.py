"""A client's session on the socket: its operations, and what it is told of its subscriptions.

One greenlet reads operations, another writes what has changed. The writer has one place in the
feed for all subscriptions, so a slow client costs no more than its place.
Source: contract section 7.
"""

import json
import time
from functools import partial
from typing import Any

import gevent
import structlog
from flask import Flask
from gevent.event import Event
from sqlalchemy.exc import SQLAlchemyError

from service.auth.tokens import LEEWAY
from service.auth.users import Caller, current_role, rights_cache
from service.edge import unstorable
from service.errors import Forbidden, Unauthorized
from service.json_values import encode
from service.records import permissions
from service.records.changes import Change, Scope
from service.records.cursor import Position
from service.records.feed import Feed, Forgotten
from service.records.subscription import Id, Subscription
from service.websocket import Closed, WebSocket

BATCH_BYTES = 256 << 10  # of one write
SESSION_OVER, RESTART, FAILED = 4401, 1012, 1011

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
        # A token that our leeway has let in lives as long as the leeway.
        self._expires = expires if expires > time.time() else expires + LEEWAY
        self._socket = socket
        self._feed: Feed = app.extensions["feed"]
        self._wake = Event()
        self._pending = False
        self._rights = rights_cache.known(caller.subject)

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

    def subscribe(self, subscription: Subscription) -> None:
        self.subscriptions[subscription.id] = subscription
        self._look()

    def hear(self, read: list[Change], tail: Position) -> None:
        if self._pending:
            return
        if any(self._concerns(change) for change in read):
            self._look()
        else:
            self.place = tail

    def look_up(self) -> None:
        if self._outdated():
            self._wake.set()

    def _outdated(self) -> bool:
        """Whether rights may have changed since `_revise`; the feed keeps reading them."""
        known = rights_cache.known(self.subject)
        return known is None or known != self._rights or time.time() >= self._expires

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
                if self._outdated():
                    with self._app.app_context():  # which takes as long as all the rest
                        self._revise()
                try:
                    self._tell()
                except Forgotten:
                    self._begin_anew()
        except Closed:
            return
        except Unauthorized:
            self._socket.close(SESSION_OVER, "the session is over")
        except SQLAlchemyError as error:
            log.warning("socket failed", error=type(error).__name__)
            self._socket.close(FAILED, "please connect again")

    def _revise(self) -> None:
        """Follow what the user's rights have become. Raises `Unauthorized` when they are gone."""
        if time.time() >= self._expires:
            raise Unauthorized()
        role = current_role(self.caller)
        self._rights = rights_cache.known(self.subject)
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
        for subscription in list(self.subscriptions.values()):
            if subscription.behind:
                self._catch_up(subscription)
        while True:
            read, self.place = self._feed.after(self.place, self._scope)
            self._send(read, list(self.subscriptions.values()))
            if self.place == self._feed.tail:
                self._pending = False
                return

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
            read, place = self._feed.after(place, partial(self._scope, subscription))
            due = [change for change in read if change.position <= self.place]
            self._send(due, [subscription])
        subscription.behind = False

    def _scope(self, only: Subscription | None = None) -> Scope:
        wanted = [only] if only else list(self.subscriptions.values())
        everybody = any(subscription.rule is True for subscription in wanted)
        names = tuple(sorted({subscription.collection.name for subscription in wanted}))
        return Scope(names, None if everybody else self.subject)

    def _send(self, read: list[Change], told: list[Subscription]) -> None:
        batch: list[bytes] = []
        size = 0
        for change in read:
            for subscription in told:
                if not subscription.concerns(change, self.subject):
                    continue
                if message := subscription.message(change):
                    batch.append(message)
                    size += len(message)
            if size > BATCH_BYTES:
                self._socket.send(*batch)
                batch, size = [], 0
        if batch:
            self._socket.send(*batch)


def error_message(id: Any, error: Any) -> dict[str, Any]:
    """A `ServiceError` as the socket says it."""
    return {"type": "error", "id": id, "error": error.code, "message": error.message, **error.facts}
