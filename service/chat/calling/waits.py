"""The tool calls of this worker that wait for their users.

A decision may come to any worker, and a grant to any. So one greenlet looks for them in the
database, by one query for all decisions, for as long as anything waits. Nothing else is held.
"""

from collections.abc import Callable

import gevent
import structlog
from flask import Flask
from gevent.event import Event
from sqlalchemy.exc import SQLAlchemyError

from service.chat.calling import approvals
from service.extensions import db
from service.web.errors import ServiceError

LOOK_SECONDS = 0.5
QUERY_SECONDS = 5.0  # a database that hangs longer counts as unavailable

log = structlog.get_logger("turn")


class Waits:
    """Its greenlet runs only while a call waits."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._decisions: dict[str, Event] = {}  # by call id
        self._grants: dict[str, tuple[Event, Callable[[], bool]]] = {}
        self._greenlet: gevent.Greenlet | None = None

    def __len__(self) -> int:
        return len(self._decisions) + len(self._grants)

    def for_decision(self, call_id: str, seconds: float) -> None:
        """Wait until the call is decided, or the time is over. May be interrupted."""
        event = self._decisions[call_id] = Event()
        try:
            self._wait(event, seconds)
        finally:
            del self._decisions[call_id]

    def for_grant(self, call_id: str, is_granted: Callable[[], bool], seconds: float) -> bool:
        """Wait until `is_granted`, a function that needs an app context; False if time is over."""
        event = Event()
        self._grants[call_id] = (event, is_granted)
        try:
            return self._wait(event, seconds)
        finally:
            del self._grants[call_id]

    def stop(self) -> None:
        if self._greenlet:
            self._greenlet.kill()
            self._greenlet = None

    def wake(self, call_id: str) -> None:
        """The call was decided in this worker."""
        if call_id in self._decisions:
            self._decisions[call_id].set()

    def _wait(self, event: Event, seconds: float) -> bool:
        if not self._greenlet:
            self._greenlet = gevent.spawn(self._work)
        return bool(event.wait(seconds))

    def _work(self) -> None:
        while len(self):
            gevent.sleep(LOOK_SECONDS)
            try:
                with gevent.Timeout(QUERY_SECONDS), self._app.app_context():
                    self._look()
            except (SQLAlchemyError, gevent.Timeout) as error:
                log.warning("decisions not read", error=type(error).__name__)
        self._greenlet = None

    def _look(self) -> None:
        if self._decisions:
            found = approvals.decided(db.session(), list(self._decisions))
            db.session.commit()
            for call_id in found:
                self.wake(call_id)
        for event, is_granted in list(self._grants.values()):
            try:
                if is_granted():
                    event.set()
            except ServiceError as error:  # of one integration; the others are looked at
                log.warning("grant not read", error=type(error).__name__)
