"""Follow the outbox once in each worker, for all its subscribers.

The newest changes are kept in a window in memory. Of a slow subscriber only its place is kept; if
the place is no longer in the window, the subscriber reads from the database.

On SQLite a write of this worker wakes the feed, and a poll notices the writes of other processes.
On PostgreSQL notifications wake it, and a poll replaces lost ones.
"""

import random
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

import gevent
import structlog
from flask import Flask
from gevent.event import Event
from sqlalchemy.exc import SQLAlchemyError

from service.app_keys import AppKey
from service.database.access import COMMIT_SYNC
from service.extensions import db
from service.observing.measures import FEED_LAG
from service.records import changes, notifications, outbox
from service.records.audience import Audiences, Member
from service.records.changes import Change, ChangeFilter
from service.records.cursor import Cursor, Position
from service.records.entitlement import Entitlement
from service.records.outlet import Outlet
from service.records.polling import polling
from service.records.reader import AnotherHistory, FeedReader
from service.records.recent_changes import Window
from service.records.session_rights import SessionRights
from service.records.subscription import Subscription
from service.supervised import LastingGreenlets
from service.times import now
from service.websockets.websocket import WebSocket

POLL_SECONDS = {"sqlite": 0.02, "postgresql": 1.0}
UNSETTLED_SECONDS = 0.02
RETRY_SECONDS = 1.0
FEED = AppKey["Feed"]("feed")
RESTART, FAILED = 1012, 1011  # close codes; after RESTART a client connects again at once

log = structlog.get_logger("feed")


class FeedListener(Member, Protocol):
    """A session on a socket."""

    entitlement: Entitlement
    outlet: Outlet
    socket: WebSocket

    def on_changes(self, new: list[Change], tail: Position) -> None:
        """Handle new changes in the window while the session is in no audience. Must not wait."""

    def on_rights(self) -> None:
        """Handle a possible change of rights. Must not wait."""

    def is_quiet(self, seconds: float) -> bool:
        """Return whether it has all changes and its client has sent nothing for `seconds`."""


class ChangesPruned(Exception):
    """Changes that a subscriber has not received have been pruned."""


class Feed:
    """Follow the outbox while there are listeners."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._listeners: set[FeedListener] = set()
        self._alone: set[FeedListener] = set()  # those in no audience
        self._audiences = Audiences()
        self._window: Window | None = None
        self.delivered = Position(0, 0)  # sessions in audiences have all changes up to here
        self._wake = Event()
        self._reader: FeedReader | None = None
        self._rights = SessionRights(app, self._listeners)
        # After a failure, some sessions may lack a change.
        self._fail = partial(self.close_all, FAILED, "please connect again")
        self._greenlets = LastingGreenlets("feed", self._fail)

    def join(self, listener: FeedListener) -> None:
        """Notify the listener of all changes from now on. Needs an app context."""
        if self._window is None:
            cursor = changes.current_cursor(db.session())
            db.session.commit()
            if self._window is None:
                self._start(cursor)
        self._listeners.add(listener)
        self._alone.add(listener)
        listener.outlet.place = self.tail

    def leave(self, listener: FeedListener) -> None:
        self.leave_audiences(listener)
        self._alone.discard(listener)
        self._listeners.discard(listener)
        if not self._listeners:
            self.stop()

    def join_audiences(self, listener: FeedListener, subscriptions: Iterable[Subscription]) -> None:
        """Add a session that is at the tail to audiences, which get changes together."""
        if listener in self._alone:
            self._alone.remove(listener)
            self._audiences.join(listener, subscriptions)

    def leave_audiences(self, listener: FeedListener) -> None:
        """Stop sending to a session. The caller must call `fall_behind`, or it misses changes."""
        self._audiences.leave(listener)
        self._alone.add(listener)

    def close_all(self, code: int, reason: str) -> None:
        """Close the sessions of all listeners without waiting for slow ones."""
        for listener in self._listeners:
            gevent.spawn(listener.socket.close, code, reason)

    def move(self, count: int, seconds: float) -> int:
        """Close up to `count` sessions that were quiet for `seconds`, and return how many."""
        quiet = [listener for listener in self._listeners if listener.is_quiet(seconds)]
        moved = random.sample(quiet, min(count, len(quiet)))
        for listener in moved:
            gevent.spawn(listener.socket.close, RESTART, "another worker has room")
        return len(moved)

    @property
    def tail(self) -> Position:
        """The position of the newest change that has been read."""
        assert self._window
        return self._window.tail

    @property
    def unread_seconds(self) -> float:
        """How long ago the outbox was last read; 0 without listeners."""
        return time.monotonic() - self._reader.read_at if self._reader else 0.0

    def after(
        self, place: Position, only: Callable[[], ChangeFilter]
    ) -> tuple[list[Change], Position]:
        """Return the next changes and the place after them.

        The changes include at least those that pass the filter. Raises `ChangesPruned` if changes
        after the place have been pruned.
        """
        assert self._window
        page, tail = self._window.after(place), self._window.tail
        if page is None:
            page = [change for change in self._read(place, only) if change.position <= tail]
        return page, page[-1].position if page else tail

    def _read(self, place: Position, only: Callable[[], ChangeFilter]) -> list[Change]:
        with self._app.app_context():
            page = changes.read(db.session.connection(), place, only())
            # After the read, because on PostgreSQL changes may have been pruned before it.
            is_pruned = place < changes.pruned_position(db.session())
            db.session.commit()
        if is_pruned:
            raise ChangesPruned()
        return page.changes

    def stop(self) -> None:
        """Stop following the outbox. A listener may join again while the greenlets end."""
        self._window = self._reader = None
        outbox.after_write.discard(self._wake.set)
        self._greenlets.kill()

    def _start(self, cursor: Cursor) -> None:
        self._begin_at(cursor)
        with self._app.app_context():
            reader = self._reader = FeedReader(db.engine, cursor.epoch)
        rights = self._rights = SessionRights(self._app, self._listeners)
        self._greenlets.spawn(self._follow, reader)
        self._greenlets.spawn(rights.watch)
        if reader.dialect == "postgresql":
            self._greenlets.spawn(notifications.listen, self._app, self._wake)
        else:
            outbox.after_write.add(self._wake.set)

    def _begin_at(self, cursor: Cursor) -> None:
        self._window, self.delivered = Window(cursor.position), cursor.position

    def _follow(self, reader: FeedReader) -> None:
        try:
            while True:
                with polling(self._read_new(reader), partial(self._wake_if_changed, reader)):
                    self._wake.wait()
        finally:
            reader.close()

    def _wake_if_changed(self, reader: FeedReader) -> None:
        """Wake the feed if something may have changed. Called in the event loop."""
        if not reader.is_unchanged():
            self._wake.set()

    def _read_new(self, reader: FeedReader) -> float:
        """Read and announce all new changes. Returns the seconds until the next poll."""
        window = self._window
        assert window
        try:
            has_unsettled = self._read_pages(reader, window)
        except AnotherHistory as found:
            log.warning("sockets closed", why="a database with another history has taken over")
            if self._window is window:  # or else the last session has left meanwhile
                self._begin_at(found.cursor)
            self._fail()  # their clients have changes that no longer exist, and lack others
            return UNSETTLED_SECONDS
        except SQLAlchemyError as error:
            reader.close()  # so that the changes it has read count as unread
            log.warning("feed not read", error=type(error).__name__)
            return RETRY_SECONDS
        return UNSETTLED_SECONDS if has_unsettled else POLL_SECONDS[reader.dialect]

    def _read_pages(self, reader: FeedReader, window: Window) -> bool:
        """Announce the pages after the window; returns whether a change is not settled yet."""
        while True:
            self._wake.clear()
            page = reader.read(window.tail)
            if page.changes:
                self._rights.ensure_recent()  # they may have changed before these changes
                self._deliver(page.changes)
            if page.is_last:
                return page.has_unsettled

    def _deliver(self, new: list[Change]) -> None:
        if commits := COMMIT_SYNC.get(self._app):
            commits.wait_for_others()  # or a power cut might undo sent changes
        assert self._window
        self._window.extend(new)
        tail = self._window.tail
        for listener in list(self._alone):
            listener.on_changes(new, tail)
        self._audiences.deliver(new, tail)
        self.delivered = tail
        if written := new[0].created_at:
            FEED_LAG.observe(max((now() - written).total_seconds(), 0))
