"""One tail of the outbox for each worker, whatever the number of its subscribers.

What was read last is kept in a window. A subscriber that is slow holds nothing but its place: once
the window has moved on, it reads on from the database.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Protocol

import gevent
import psycopg
import structlog
from flask import Flask
from gevent.event import Event
from sqlalchemy.exc import SQLAlchemyError

from service.auth.users import rights_cache
from service.database import long_lived
from service.extensions import db
from service.records import changes
from service.records.changes import Change, Scope
from service.records.cursor import Position
from service.records.outbox import CHANNEL

WINDOW_CHANGES = 2_000
WINDOW_BYTES = 8 << 20
CHANGE_BYTES = 500  # that one takes besides its records
POLL_SECONDS = {"sqlite": 0.05, "postgresql": 1.0}
UNSETTLED_SECONDS = 0.02
RIGHTS_SECONDS = 1.0
RETRY_SECONDS = 1.0

log = structlog.get_logger("feed")


class Listener(Protocol):
    """Somebody at the other end of a socket."""

    subject: str
    place: Position  # in the feed

    def hear(self, read: list[Change], tail: Position) -> None:
        """New changes are in the window. Must not wait."""

    def look_up(self) -> None:
        """Rights may have changed. Must not wait."""

    def restart(self) -> None:
        """This worker is ending."""


class Forgotten(Exception):
    """A subscriber is so far behind that what it has missed has been pruned."""


class Window:
    """The newest changes: all of those after `floor`."""

    def __init__(self, floor: Position) -> None:
        self.floor = self.tail = floor
        self._changes: list[Change] = []
        self._sizes: list[int] = []

    def extend(self, read: Iterable[Change]) -> None:
        for change in read:
            self._changes.append(change)
            self._sizes.append(CHANGE_BYTES + change.size)
            self.tail = change.position
        if len(self._changes) > WINDOW_CHANGES or sum(self._sizes) > WINDOW_BYTES:
            self._shrink()

    def after(self, place: Position) -> list[Change] | None:
        """The changes after a place; None when they reach back further than the window."""
        if place < self.floor:
            return None
        start = bisect_right(self._changes, place, key=lambda change: change.position)
        return self._changes[start : start + changes.PAGE]

    def _shrink(self) -> None:
        """Down to half of each limit."""
        kept = size = 0
        for bytes_ in reversed(self._sizes):
            size += bytes_
            if kept >= WINDOW_CHANGES // 2 or size > WINDOW_BYTES // 2:
                break
            kept += 1
        gone = len(self._changes) - kept
        self.floor = self._changes[gone - 1].position
        del self._changes[:gone], self._sizes[:gone]


class Feed:
    """Tails the outbox while somebody listens."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._listeners: set[Listener] = set()
        self._window: Window | None = None
        self._wake = Event()
        self._greenlets: list[gevent.Greenlet] = []

    def join(self, listener: Listener) -> None:
        """From here on the listener hears of everything.

        Needs an app context.
        """
        if self._window is None:
            place = changes.here(db.session()).position
            db.session.commit()
            if self._window is None:
                self._start(place)
        self._listeners.add(listener)
        listener.place = self.tail

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)
        if not self._listeners:
            self.stop()

    def restart(self) -> None:
        """Send every listener to another worker; each in its own time."""
        for listener in self._listeners:
            gevent.spawn(listener.restart)

    @property
    def tail(self) -> Position:
        """Everything up to here has been read."""
        assert self._window
        return self._window.tail

    def after(self, place: Position, scope: Callable[[], Scope]) -> tuple[list[Change], Position]:
        """The next changes, at least those in a scope, and the place behind them.

        Raises `Forgotten` when some of them are not kept any more.
        """
        assert self._window
        found, tail = self._window.after(place), self._window.tail
        if found is not None:
            return found, found[-1].position if found else tail
        with self._app.app_context():
            forgotten = place < changes.pruned_up_to(db.session())
            read = [] if forgotten else changes.read(db.session(), place, scope())
            db.session.commit()
        if forgotten:
            raise Forgotten()
        read = [change for change in read if change.position <= tail]
        return read, read[-1].position if read else tail

    def stop(self) -> None:
        """Tail no more; whoever joins next, also while these greenlets still end, starts anew."""
        ending, self._greenlets, self._window = self._greenlets, [], None
        gevent.killall(ending)

    def _start(self, place: Position) -> None:
        self._window = Window(place)
        with self._app.app_context():
            dialect = db.engine.dialect.name
        self._greenlets = [gevent.spawn(self._tail, dialect), gevent.spawn(self._watch_rights)]
        if dialect == "postgresql":
            self._greenlets.append(gevent.spawn(self._listen))

    def _tail(self, dialect: str) -> None:
        pause = 0.0
        while True:
            self._wake.wait(pause)
            self._wake.clear()
            try:
                with self._app.app_context():
                    held_back = changes.unsettled(db.session())  # asked before, or it may be late
                    db.session.commit()
                    self._read_on()
                pause = UNSETTLED_SECONDS if held_back else POLL_SECONDS[dialect]
            except SQLAlchemyError as error:
                log.warning("feed not read", error=type(error).__name__)
                pause = RETRY_SECONDS

    def _read_on(self) -> None:
        window = self._window
        assert window
        while read := changes.read(db.session(), window.tail):
            db.session.commit()
            window.extend(read)
            for listener in list(self._listeners):
                listener.hear(read, window.tail)

    def _watch_rights(self) -> None:
        while True:
            gevent.sleep(RIGHTS_SECONDS)
            try:
                with self._app.app_context():
                    rights_cache.refresh({listener.subject for listener in self._listeners})
            except SQLAlchemyError as error:
                log.warning("rights not read", error=type(error).__name__)
            for listener in list(self._listeners):
                listener.look_up()

    def _listen(self) -> None:
        """Wake up at every commit that changed records; the poll covers what gets lost."""
        while True:
            try:
                with self._app.app_context():
                    connection = long_lived()
                with connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._wake.set()
                    for _ in connection.notifies():
                        self._wake.set()
            except psycopg.Error as error:
                log.warning("not listening", error=type(error).__name__)
            gevent.sleep(RETRY_SECONDS)
