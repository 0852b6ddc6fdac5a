"""The tool calls of this worker that wait for their users.

Any worker can receive a decision or a grant, and another instance can receive a grant too. So while
a call waits, one greenlet reads all decisions from the database by one query, and another checks
each grant in turn. A waiting call holds nothing else.
"""

from collections.abc import Callable, Iterable, Sized
from functools import partial

import gevent
import structlog
from flask import Flask
from gevent.event import Event
from sqlalchemy.exc import SQLAlchemyError

from service.app_keys import AppKey
from service.background import BackgroundWork
from service.chat.calling import approvals
from service.extensions import db
from service.web.errors import ServiceError

WAITS = AppKey["Waits"]("waits")
LOOK_SECONDS = 0.5
LONGEST_LOOK = 5.0  # seconds; a look that takes longer is ended

log = structlog.get_logger("turn")


class Waits:
    """The waits for decisions and for grants.

    They are looked for separately, because another instance may report grants slowly.
    """

    def __init__(self, app: Flask) -> None:
        self._decisions: dict[str, Event] = {}  # by call id
        self._grants: dict[str, tuple[Event, Callable[[], bool]]] = {}
        self._for_decisions = _Lookout(app, self._decisions, lambda: [self._look_for_decisions])
        self._for_grants = _Lookout(app, self._grants, self._looks_for_grants)

    def __len__(self) -> int:
        return len(self._decisions) + len(self._grants)

    def wait_for_decision(self, call_id: str, seconds: float) -> None:
        """Wait until the call is decided, or the time has passed. May be interrupted."""
        event = self._decisions[call_id] = Event()
        try:
            self._for_decisions.wait(event, seconds)
        finally:
            del self._decisions[call_id]

    def wait_for_grant(self, call_id: str, is_granted: Callable[[], bool], seconds: float) -> bool:
        """Wait until `is_granted` is true; returns False if the time passes before.

        `is_granted` is called in an app context.
        """
        event = Event()
        self._grants[call_id] = (event, is_granted)
        try:
            return self._for_grants.wait(event, seconds)
        finally:
            del self._grants[call_id]

    def stop(self) -> None:
        self._for_decisions.stop()
        self._for_grants.stop()

    def wake(self, call_id: str) -> None:
        """End the wait of a call that was decided in this worker."""
        if call_id in self._decisions:
            self._decisions[call_id].set()

    def _look_for_decisions(self) -> None:
        found = approvals.list_decided(db.session(), list(self._decisions))
        db.session.commit()
        for call_id in found:
            self.wake(call_id)

    def _looks_for_grants(self) -> list[Callable[[], None]]:
        return [partial(self._look_for_grant, call_id) for call_id in self._grants]

    def _look_for_grant(self, call_id: str) -> None:
        if call_id not in self._grants:  # its wait has ended during the previous looks
            return
        event, is_granted = self._grants[call_id]
        if is_granted():
            event.set()


class _Lookout(BackgroundWork):
    """Looks repeatedly while calls wait."""

    def __init__(
        self, app: Flask, waiting: Sized, looks: Callable[[], Iterable[Callable[[], None]]]
    ) -> None:
        """Each of the `looks` sets the events of the waits that can end. It gets an app context.

        If one look hangs or fails, the others are still made.
        """
        self._app, self._waiting, self._looks = app, waiting, looks

    def wait(self, event: Event, seconds: float) -> bool:
        """Return whether the event is set before the time has passed. May be interrupted."""
        self.wake()
        return bool(event.wait(seconds))

    def _work(self) -> None:
        while len(self._waiting):
            gevent.sleep(LOOK_SECONDS)
            for look in self._looks():
                self._take(look)

    def _take(self, look: Callable[[], None]) -> None:
        try:
            with gevent.Timeout(LONGEST_LOOK), self._app.app_context():
                look()
        except (ServiceError, SQLAlchemyError, gevent.Timeout) as error:
            log.warning("waits not looked at", error=type(error).__name__)
