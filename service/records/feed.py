"""Each worker follows the outbox once for all its subscribers.

The newest changes are kept in a window in memory. A slow subscriber costs only its place; if that
is no longer in the window, the subscriber reads from the database.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Protocol

import gevent
import structlog
from flask import Flask
from gevent.event import Event
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import rights_cache
from service.database.access import postgresql
from service.extensions import db
from service.records import changes
from service.records.changes import Change, Scope
from service.records.cursor import Position
from service.records.outbox import CHANNEL

WINDOW_CHANGES = 2_000
WINDOW_BYTES = 8 << 20
CHANGE_BYTES = 500  # memory of a change without its records
POLL_SECONDS = {"sqlite": 0.05, "postgresql": 1.0}
UNSETTLED_SECONDS = 0.02
RIGHTS_SECONDS = 1.0
RETRY_SECONDS = 1.0

log = structlog.get_logger("feed")


class FeedListener(Protocol):
    """A session on a socket."""

    subject: str
    place: Position  # in the feed

    def on_changes(self, new: list[Change], tail: Position) -> None:
        """Handle new changes in the window. Must not wait."""

    def on_rights(self) -> None:
        """Handle a possible change of rights. Must not wait."""

    def restart(self) -> None:
        """Close the session, because this worker is ending."""


class ChangesPruned(Exception):
    """A subscriber is so far behind that changes it has not received have been pruned."""


class Window:
    """The newest changes in memory: all changes after `floor`."""

    def __init__(self, floor: Position) -> None:
        self.floor = self.tail = floor
        self._changes: list[Change] = []
        self._sizes: list[int] = []

    def extend(self, new: Iterable[Change]) -> None:
        for change in new:
            self._changes.append(change)
            self._sizes.append(CHANGE_BYTES + change.size)
            self.tail = change.position
        if len(self._changes) > WINDOW_CHANGES or sum(self._sizes) > WINDOW_BYTES:
            self._shrink()

    def after(self, place: Position) -> list[Change] | None:
        """Return the changes after a place, or None if the window does not hold all of them."""
        if place < self.floor:
            return None
        start = bisect_right(self._changes, place, key=lambda change: change.position)
        return self._changes[start : start + changes.PAGE]

    def _shrink(self) -> None:
        """Drop the oldest changes, down to half of each limit."""
        count = size = 0
        for bytes_ in reversed(self._sizes):
            size += bytes_
            if count >= WINDOW_CHANGES // 2 or size > WINDOW_BYTES // 2:
                break
            count += 1
        start = len(self._changes) - count
        self.floor = self._changes[start - 1].position
        del self._changes[:start], self._sizes[:start]


class Feed:
    """Follow the outbox while there are listeners."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._listeners: set[FeedListener] = set()
        self._window: Window | None = None
        self._wake = Event()
        self._greenlets: list[gevent.Greenlet] = []

    def join(self, listener: FeedListener) -> None:
        """Notify the listener of all changes from now on. Needs an app context."""
        if self._window is None:
            place = changes.current_cursor(db.session()).position
            db.session.commit()
            if self._window is None:
                self._start(place)
        self._listeners.add(listener)
        listener.place = self.tail

    def leave(self, listener: FeedListener) -> None:
        self._listeners.discard(listener)
        if not self._listeners:
            self.stop()

    def restart(self) -> None:
        """Close the sessions of all listeners without waiting for slow ones."""
        for listener in self._listeners:
            gevent.spawn(listener.restart)

    @property
    def tail(self) -> Position:
        """The position of the newest change that has been read."""
        assert self._window
        return self._window.tail

    def after(self, place: Position, scope: Callable[[], Scope]) -> tuple[list[Change], Position]:
        """Return the next changes and the place after them.

        The changes include at least those in the scope. Raises `ChangesPruned` if some of them
        have been pruned.
        """
        assert self._window
        page, tail = self._window.after(place), self._window.tail
        if page is None:
            page = [change for change in self._read(place, scope) if change.position <= tail]
        return page, page[-1].position if page else tail

    def _read(self, place: Position, scope: Callable[[], Scope]) -> list[Change]:
        with self._app.app_context():
            is_pruned = place < changes.pruned_position(db.session())
            page = [] if is_pruned else changes.read(db.session(), place, scope())
            db.session.commit()
        if is_pruned:
            raise ChangesPruned()
        return page

    def stop(self) -> None:
        """Stop following the outbox. A listener may join again while the greenlets end."""
        greenlets, self._greenlets, self._window = self._greenlets, [], None
        gevent.killall(greenlets)

    def _start(self, place: Position) -> None:
        self._window = Window(place)
        with self._app.app_context():
            dialect = db.engine.dialect.name
        self._greenlets = [gevent.spawn(self._follow, dialect), gevent.spawn(self._watch_rights)]
        if dialect == "postgresql":
            self._greenlets.append(gevent.spawn(self._listen))

    def _follow(self, dialect: str) -> None:
        pause = 0.0
        while True:
            self._wake.wait(pause)
            self._wake.clear()
            try:
                with self._app.app_context():
                    # Checked before reading, or a change that settles in between would be late.
                    unsettled = changes.has_unsettled(db.session())
                    db.session.commit()
                    self._read_new()
                pause = UNSETTLED_SECONDS if unsettled else POLL_SECONDS[dialect]
            except SQLAlchemyError as error:
                log.warning("feed not read", error=type(error).__name__)
                pause = RETRY_SECONDS

    def _read_new(self) -> None:
        window = self._window
        assert window
        while new := changes.read(db.session(), window.tail):
            db.session.commit()
            window.extend(new)
            for listener in list(self._listeners):
                listener.on_changes(new, window.tail)

    def _watch_rights(self) -> None:
        while True:
            gevent.sleep(RIGHTS_SECONDS)
            try:
                with self._app.app_context():
                    rights_cache.refresh({listener.subject for listener in self._listeners})
            except SQLAlchemyError as error:
                log.warning("rights not read", error=type(error).__name__)
            for listener in list(self._listeners):
                listener.on_rights()

    def _listen(self) -> None:
        """Wake up at every commit that changed records. Polling makes up for lost notifications."""
        while True:
            try:
                with self._app.app_context():
                    connection = postgresql.connect_to_listen(db.engine.url)
                with connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._wake.set()
                    for _ in connection.notifies():
                        self._wake.set()
            except postgresql.Error as error:
                log.warning("not listening", error=type(error).__name__)
            gevent.sleep(RETRY_SECONDS)
