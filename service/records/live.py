"""The session of a client on the socket: its operations and subscriptions.

One greenlet reads operations, another writes changes. The writer has one place in the feed for all
subscriptions, so a slow client costs no more than its place.
Source: docs/contract.md, section 7.9.
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
from service.lifecycle import let_others_run
from service.records import permissions
from service.records.changes import Change, Scope
from service.records.cursor import Position
from service.records.entitlement import Entitlement
from service.records.feed import ChangesPruned, Feed
from service.records.line import Queues
from service.records.subscription import Id, Subscription
from service.web.errors import Forbidden, Unauthorized
from service.web.fields import unstorable
from service.web.json_values import encode
from service.websockets.frames import Piece
from service.websockets.websocket import Closed, WebSocket

BATCH_BYTES = 256 << 10  # of one write
SESSION_OVER, RESTART, FAILED = 4401, 1012, 1011
SESSION_IS_OVER = "the session is over"

log = structlog.get_logger("socket")


class SocketSession:
    """A `FeedListener`. Its place is the feed's tail unless changes are `_pending`."""

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
        self._batch_lock = BoundedSemaphore(1)  # from building a batch until it is written
        self._snapshots: Queues = app.extensions["snapshots"]

    def begin(self) -> gevent.Greenlet:
        """Join the feed and start the writer. Needs an app context."""
        self._feed.join(self)
        self._writer = gevent.spawn(self._write)
        return self._writer

    def end(self) -> None:
        try:
            self._writer.kill()  # first, because it reads from the feed, which may stop
        finally:
            self._feed.leave(self)

    def restart(self) -> None:
        """Close the connection, so that the client connects to another worker."""
        self._socket.close(RESTART, "the server restarts")

    def send(self, message: dict[str, Any]) -> None:
        """Send a message. Raises `Closed`."""
        text = encode(message)
        # Escaped if UTF-8 can't encode it: an error may repeat a lone surrogate of the client.
        self._socket.send(json.dumps(message) if unstorable(text) else text)

    def send_in_pieces(self, pieces: Iterable[Piece]) -> None:
        """Send one message in pieces. Raises `Closed`."""
        self._socket.send_in_pieces(pieces)

    def subscribe(self, subscription: Subscription) -> None:
        self.subscriptions[subscription.id] = subscription
        self._wake_writer()

    def unsubscribe(self, id: Id) -> bool:
        """Send no further changes. Returns False if there is no such subscription."""
        with self._batch_lock:
            return self.subscriptions.pop(id, None) is not None

    @contextmanager
    def snapshot_turn(self) -> Iterator[None]:
        """Wait until this is the user's only snapshot in the worker. Raises `Closed`."""
        self._socket.wait_until_idle()
        with self._snapshots.turn(self.subject, self._socket.wait_for):
            yield

    def on_changes(self, new: list[Change], tail: Position) -> None:
        if self._pending:
            return
        if any(self._concerns(change) for change in new):
            self._wake_writer()
        else:
            self.place = tail

    def on_rights(self) -> None:
        if self.entitlement.is_over:
            # Not by the writer, which may be waiting for a slow client.
            gevent.spawn(self._socket.close, SESSION_OVER, SESSION_IS_OVER)
        elif self.entitlement.is_outdated:
            self._wake.set()

    def _wake_writer(self) -> None:
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
                    self._send_changes()
                except ChangesPruned:
                    self._resync_all()
        except Closed:
            return
        except Unauthorized:
            self._socket.close(SESSION_OVER, SESSION_IS_OVER)
        except SQLAlchemyError as error:
            log.warning("socket failed", error=type(error).__name__)
            self._socket.close(FAILED, "please connect again")

    def _apply_rights(self) -> None:
        """Apply changed rights to the subscriptions. Raises `Unauthorized`."""
        if self.entitlement.is_outdated:
            self.entitlement.check_token()
            with self._app.app_context():  # only now, because it is expensive
                self._apply_role()

    def _apply_role(self) -> None:
        role = self.entitlement.role()
        for subscription in list(self.subscriptions.values()):
            if subscription.role != role:
                self._change_role(subscription, role)

    def _change_role(self, subscription: Subscription, role: str) -> None:
        """Keep the subscription if the new role sees the same; otherwise end it with a message."""
        collection = subscription.collection
        rule = permissions.rule(collection, role, "read")
        before = (subscription.rule, permissions.visible_columns(collection, subscription.role))
        if before == (rule, permissions.visible_columns(collection, role)):
            subscription.role = role
            return
        del self.subscriptions[subscription.id]
        if rule:
            self.send({"type": "resync", "id": subscription.id})
        else:
            self.send(error_message(subscription.id, Forbidden()))

    def _send_changes(self) -> None:
        """Send all changes up to now."""
        while True:
            self._apply_rights()
            for subscription in self._behind():
                self._catch_up(subscription)
            page, self.place = self._feed.after(self.place, self._scope)
            # A subscription made meanwhile must first receive the changes it has missed.
            self._send_page(page, [s for s in self.subscriptions.values() if not s.behind])
            if self.place == self._feed.tail and not self._behind():
                self._pending = False
                return
            let_others_run()

    def _behind(self) -> list[Subscription]:
        return [s for s in self.subscriptions.values() if s.behind]

    def _resync_all(self) -> None:
        """End all subscriptions, because changes they have missed are pruned."""
        messages = [{"type": "resync", "id": id} for id in self.subscriptions]
        self.subscriptions.clear()
        self.place, self._pending = self._feed.tail, False
        for message in messages:
            self.send(message)

    def _catch_up(self, subscription: Subscription) -> None:
        """Send a new subscription the changes from its cursor to our place in the feed."""
        assert subscription.cursor
        place = subscription.cursor.position
        while place < self.place:
            let_others_run()
            self._apply_rights()
            if not self._is_active(subscription):
                return
            page, place = self._feed.after(place, partial(self._scope, subscription))
            missed = [change for change in page if change.position <= self.place]
            self._send_page(missed, [subscription])
        subscription.behind = False

    def _is_active(self, subscription: Subscription) -> bool:
        """Whether it is still subscribed. Another subscription may have its id now."""
        return self.subscriptions.get(subscription.id) is subscription

    def _scope(self, only: Subscription | None = None) -> Scope:
        subscriptions = [only] if only else list(self.subscriptions.values())
        everybody = any(subscription.rule is True for subscription in subscriptions)
        names = tuple(sorted({subscription.collection.name for subscription in subscriptions}))
        return Scope(names, None if everybody else self.subject)

    def _send_page(self, page: list[Change], subscriptions: list[Subscription]) -> None:
        rest = iter(page)
        while self._send_batch(rest, subscriptions):
            let_others_run()  # or an answer would wait for the whole page: the lock is not fair
            self._apply_rights()

    def _send_batch(self, page: Iterator[Change], subscriptions: list[Subscription]) -> bool:
        """Send changes up to `BATCH_BYTES` and return whether there may be more.

        Nothing is unsubscribed before the batch is written.
        """
        batch: list[bytes] = []
        size = 0
        with self._batch_lock:
            active = list(filter(self._is_active, subscriptions))
            for change in page:
                for subscription in active:
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
    """Return the message on the socket for a `ServiceError`."""
    return {"type": "error", "id": id, "error": error.code, "message": error.message, **error.facts}
