"""Do the database work of one moment together: reads share a statement, writes a transaction.

A statement costs more than the row that it reads, and a commit more than the rows of a small
write: on SQLite, the worker waits for the disk. So the work that requests have ready at the same
time goes to the database together. No work waits for later work.
"""

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any, Generic, TypeVar

import gevent
import structlog
from flask import Flask
from gevent.event import Event
from sqlalchemy.exc import SQLAlchemyError

from service.database.access import core_transaction, is_outage
from service.database.statements import Statements
from service.fairness import let_others_run
from service.observing import attribution

MOST_ITEMS = 200  # of one moment

Item = TypeVar("Item")
Store = Callable[[Statements, list[Any]], None]  # writes rows of one kind

log = structlog.get_logger("database")


class SharedMoment(Generic[Item]):
    """The items that were added at the same time, and an event that is set when they are done."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.ended = Event()


class Together(Generic[Item]):
    """Does the work of the items of each moment, one moment after the other.

    The work runs without an app context, which would take as long as a statement.
    """

    def __init__(self, work: Callable[[list[Item]], None]) -> None:
        self._work = work
        self._moments: deque[SharedMoment[Item]] = deque()  # the last one takes items
        self._is_working = False

    def add(self, item: Item) -> Event:
        """Have the work of an item done. Returns an event that is set afterwards, even on error."""
        if not self._moments or len(self._moments[-1].items) >= MOST_ITEMS:
            self._moments.append(SharedMoment())
        if not self._is_working:
            self._begin()
        moment = self._moments[-1]
        moment.items.append(item)
        return moment.ended

    def _begin(self) -> None:
        """Start a separate greenlet, so that a killed request does not end the work of others."""
        self._is_working = True
        gevent.spawn(self._work_on)

    def _work_on(self) -> None:
        """Work until no moment is left. A new greenlet would take 20 µs for its stack."""
        attribution.begin()
        try:
            while self._moments:
                let_others_run()
                self._end(self._moments.popleft())
        finally:
            self._is_working = False
            if self._moments:  # an error has ended this greenlet
                self._begin()

    def _end(self, moment: SharedMoment[Item]) -> None:
        try:
            self._work(moment.items)
        finally:
            moment.ended.set()


class SharedWrite:
    """A row, the function that writes it, and a function that is called afterwards."""

    __slots__ = ("at_end", "row", "store")

    def __init__(self, store: Store, row: Any, at_end: Callable[[], None] | None) -> None:
        self.store, self.row, self.at_end = store, row, at_end


class SharedWrites:
    """Writes the rows of one moment in one transaction. A failure is logged."""

    def __init__(self, app: Flask) -> None:
        self._together: Together[SharedWrite] = Together(partial(_work, app))

    def add(self, store: Store, row: Any, at_end: Callable[[], None] | None = None) -> Event:
        """Have a row written with others. `at_end` is called afterwards, without an app context.

        Returns an event that is set when the row is in the database, or could not be written.
        """
        return self._together.add(SharedWrite(store, row, at_end))


def _work(app: Flask, writes: list[SharedWrite]) -> None:
    with ExitStack() as at_end:
        for write in reversed(writes):
            if write.at_end:
                at_end.callback(write.at_end)
        _write(app, writes)


def _write(app: Flask, writes: list[SharedWrite]) -> None:
    """Write all rows, or as many as the database takes."""
    try:
        _write_in_one_transaction(app, writes)
    except (SQLAlchemyError, TypeError, ValueError) as error:  # also before a row is sent
        if len(writes) > 1 and not (isinstance(error, SQLAlchemyError) and is_outage(error)):
            for write in writes:
                _write(app, [write])
        else:
            log.warning("rows not written", error=type(error).__name__, rows=len(writes))


def _write_in_one_transaction(app: Flask, writes: list[SharedWrite]) -> None:
    rows: dict[Store, list[Any]] = {}
    for write in writes:
        rows.setdefault(write.store, []).append(write.row)
    with core_transaction(app) as session:
        for store, of_kind in rows.items():
            store(session, of_kind)
