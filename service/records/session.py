"""The session of a client on the socket: its operations and subscriptions.

One greenlet reads operations. The feed's greenlet sends new changes while the client takes them at
once. Otherwise the session falls behind, and a greenlet of its own, the writer, sends them. A
session has one place in the feed for all subscriptions, so a slow client costs no more than that.
Source: docs/contract.md, section 7.9.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import gevent
import structlog
from flask import Flask
from gevent.lock import BoundedSemaphore
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import Caller
from service.fairness import let_others_run
from service.records.audience import Audience
from service.records.changes import Change
from service.records.client_pause import ClientPause
from service.records.cursor import Position
from service.records.entitlement import Entitlement
from service.records.feed import FAILED, FEED, ChangesPruned
from service.records.messages import end_message, next_batch
from service.records.outlet import Outlet
from service.records.queues import SNAPSHOT_QUEUES
from service.records.subscription import Id, Subscription, filter_of
from service.records.writer import Writer
from service.storable import is_storable
from service.web.errors import Unauthorized
from service.web.json_values import encode
from service.websockets.frames import Closed
from service.websockets.websocket import WebSocket

SESSION_OVER = 4401
SESSION_IS_OVER, CONNECT_AGAIN = "the session is over", "please connect again"

log = structlog.get_logger("socket")


class SocketSession:
    """A `FeedListener`.

    While changes are `_pending`, the writer sends those after the session's place. While it has
    `memberships`, it has received everything up to the feed's tail, and its place may be older.
    """

    def __init__(self, app: Flask, caller: Caller, expires: float, socket: WebSocket) -> None:
        self.caller, self.subject = caller, caller.subject
        self.subscriptions: dict[Id, Subscription] = {}
        self.memberships: list[tuple[Audience, bytes]] = []
        self._app, self.socket = app, socket
        self.entitlement = Entitlement(caller, expires)
        self.outlet = Outlet(socket, self.entitlement)
        self._feed = FEED.of(app)
        self._writer = Writer(partial(socket.close, FAILED, CONNECT_AGAIN))
        self._pending = False
        self.asking = ClientPause()
        self._batch_lock = BoundedSemaphore(1)  # from building a batch until it is written
        self._snapshots = SNAPSHOT_QUEUES.of(app)

    def begin(self) -> None:
        """Join the feed. Needs an app context."""
        self._feed.join(self)

    def end(self) -> None:
        try:
            self._writer.end()  # first, because it reads from the feed, which may stop
        finally:
            self._feed.leave(self)
            self.outlet.close()

    def is_quiet(self, seconds: float) -> bool:
        return not self._pending and self.asking.pause > seconds

    def send(self, message: dict[str, Any]) -> None:
        """Send a message. Raises `Closed`."""
        text = encode(message)
        # Escaped if UTF-8 can't encode it: an error may repeat a lone surrogate of the client.
        self.socket.send(text if is_storable(text) else json.dumps(message))

    def subscribe(self, subscription: Subscription) -> None:
        self._feed.leave_audiences(self)
        self.subscriptions[subscription.id] = subscription
        self.entitlement.forget_role()  # the role may have changed since the check
        self.fall_behind()

    def unsubscribe(self, id: Id) -> bool:
        """Send no further changes. Returns False if there is no such subscription."""
        with self._batch_lock:
            if id not in self.subscriptions:
                return False
            self._feed.leave_audiences(self)
            del self.subscriptions[id]
        self.fall_behind()
        return True

    @contextmanager
    def snapshot_turn(self) -> Iterator[None]:
        """Wait until this is the user's only snapshot in the worker. Raises `Closed`."""
        self.socket.wait_until_idle()
        with self._snapshots.turn(self.subject, self.socket.wait_for):
            yield

    def deliver(self, frames: bytes, tail: Position, moment: float) -> Outlet:
        is_due = not self._pending and self.outlet.place < tail
        if is_due and not self.outlet.deliver(frames, tail, moment):
            self.fall_behind()
        return self.outlet

    def on_changes(self, new: list[Change], tail: Position) -> None:
        if self._pending:
            return
        subscriptions = self.subscriptions.values()
        if any(s.concerns(change, self.subject) for change in new for s in subscriptions):
            self.fall_behind()
        else:
            self.outlet.place = tail
            self._join_audiences()

    def on_rights(self) -> None:
        if self.entitlement.is_over:
            # Not by the writer, which may be waiting for a slow client.
            gevent.spawn(self.socket.close, SESSION_OVER, SESSION_IS_OVER)
        elif self.entitlement.is_outdated:
            self.fall_behind()

    def fall_behind(self) -> None:
        self._leave_to_writer()
        self._writer.wake(self._write)

    def _leave_to_writer(self) -> None:
        if not self._pending:
            self.outlet.place = max(self.outlet.place, self._feed.delivered)
            self._pending = True
            self.outlet.revoke()

    def _join_audiences(self) -> None:
        """Let the feed send further changes if no subscription lacks an earlier change."""
        tail = self._feed.tail
        if all(subscription.is_current(tail) for subscription in self.subscriptions.values()):
            self._feed.join_audiences(self, self.subscriptions.values())

    def _write(self) -> bool:
        """Send all changes, and return whether the session goes on. Called by the writer."""
        self._leave_to_writer()
        try:
            try:
                self._send_changes()
            except ChangesPruned:
                self._resync_all()
            return True
        except Closed:
            pass
        except Unauthorized:
            self.socket.close(SESSION_OVER, SESSION_IS_OVER)
        except SQLAlchemyError as error:
            log.warning("socket failed", error=type(error).__name__)
            self.socket.close(FAILED, CONNECT_AGAIN)
        return False

    def _apply_rights(self) -> None:
        """Apply changed rights to the subscriptions. Raises `Unauthorized`."""
        if self.entitlement.is_outdated:
            self.entitlement.check_token()
            with self._app.app_context():  # only now, because it is expensive
                self._apply_role()

    def _apply_role(self) -> None:
        """Keep subscriptions that show the same to the new role, and end others with a message."""
        role = self.entitlement.role()
        self._feed.leave_audiences(self)
        for subscription in list(self.subscriptions.values()):
            if subscription.sees_the_same(role):
                subscription.role = role
            elif self._is_active(subscription):  # it may have ended while another message was sent
                del self.subscriptions[subscription.id]
                self.send(end_message(subscription, role))

    def _send_changes(self) -> None:
        """Send all changes up to now."""
        self.socket.flush()
        only = partial(filter_of, self.subscriptions.values(), self.subject)
        while True:
            self._apply_rights()
            for subscription in self._behind():
                self._catch_up(subscription)
            page, self.outlet.place = self._feed.after(self.outlet.place, only)
            # A subscription made meanwhile must first receive the changes it has missed.
            self._send_page(page, [s for s in self.subscriptions.values() if not s.behind])
            if self.outlet.place == self._feed.tail and not self._behind():
                self._pending = False
                self._join_audiences()
                return
            let_others_run()

    def _behind(self) -> list[Subscription]:
        return [s for s in self.subscriptions.values() if s.behind]

    def _resync_all(self) -> None:
        """End all subscriptions, because changes that they have missed are pruned."""
        messages = [{"type": "resync", "id": id} for id in self.subscriptions]
        self._feed.leave_audiences(self)
        self.subscriptions.clear()
        self.outlet.place, self._pending = self._feed.tail, False
        for message in messages:
            self.send(message)

    def _catch_up(self, subscription: Subscription) -> None:
        """Send a new subscription the changes from its cursor to our place in the feed."""
        assert subscription.cursor
        place = subscription.cursor.position
        while place < self.outlet.place:
            let_others_run()
            self._apply_rights()
            if not self._is_active(subscription):
                return
            only = partial(filter_of, [subscription], self.subject)
            page, place = self._feed.after(place, only)
            missed = [change for change in page if change.position <= self.outlet.place]
            self._send_page(missed, [subscription])
        subscription.behind = False

    def _is_active(self, subscription: Subscription) -> bool:
        """Return whether it is still subscribed. Another subscription may have its id now."""
        return self.subscriptions.get(subscription.id) is subscription

    def _send_page(self, page: list[Change], subscriptions: list[Subscription]) -> None:
        rest = iter(page)
        while self._send_batch(rest, subscriptions):
            let_others_run()  # or answers would wait for the whole page, as the lock is not fair
            self._apply_rights()

    def _send_batch(self, page: Iterator[Change], subscriptions: list[Subscription]) -> bool:
        """Send changes up to `BATCH_BYTES` and return whether there may be more.

        No subscription ends before the batch is written.
        """
        with self._batch_lock:
            active = list(filter(self._is_active, subscriptions))
            batch, is_full = next_batch(page, active, self.subject)
            if batch:
                self.socket.send(*batch)
        return is_full
