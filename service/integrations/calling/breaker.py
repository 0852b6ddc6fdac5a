"""A circuit breaker for each integration, whose state all workers share.

After `FAILURES` in a row it opens: nothing is sent for `OPEN_SECONDS`. Then a single call among all
workers may try. Its outcome closes the breaker or opens it again.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from flask import Flask
from gevent.lock import BoundedSemaphore
from sqlalchemy import not_, or_, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from service.database.access import write_transaction
from service.database.clock import from_now, has_passed
from service.extensions import db
from service.integrations.calling.sending import CallsStopped, Effects
from service.integrations.declare.faults import is_down
from service.integrations.models import Breaker
from service.web.errors import ServiceError

FAILURES = 5
OPEN_SECONDS = 30.0
LOOK_SECONDS = 1.0  # for which a worker uses the state that it has read

log = structlog.get_logger("integrations")

_has_waited = or_(Breaker.open_until.is_(None), has_passed(Breaker.open_until, OPEN_SECONDS))
IS_OPEN = not_(_has_waited).label("is_open")


class Breakers:
    """This worker's view of the breakers."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._known: dict[str, tuple[float, int]] = {}  # by integration: time of the read, failures

    def admission(self) -> Callable[[str], None]:
        """Return a function that one call calls with a vendor's integration before each request.

        It raises `CallsStopped` while the breaker is open. It checks each breaker once for the
        call: a second check would refuse a call that is itself the trial.
        """
        admitted: set[str] = set()
        asking = BoundedSemaphore()  # one greenlet of the call checks, and the others wait for it

        def admit(integration: str) -> None:
            if integration in admitted:
                return
            with asking:
                if integration not in admitted and not self._is_known_as_closed(integration):
                    with self._app.app_context():  # a greenlet has none
                        self._admit(integration)
                admitted.add(integration)

        return admit

    def _is_known_as_closed(self, integration: str) -> bool:
        looked, failures = self._known.get(integration, (0.0, 0))
        return time.monotonic() - looked < LOOK_SECONDS and failures < FAILURES

    def _admit(self, integration: str) -> None:
        row = db.session.execute(
            select(Breaker.failures, IS_OPEN).where(Breaker.integration == integration)
        ).one_or_none()
        db.session.commit()
        self._known[integration] = (time.monotonic(), row.failures if row else 0)
        if row is None or row.failures < FAILURES:
            return
        if row.is_open or not self._may_try(integration):
            raise CallsStopped(upstreamStatus=None)

    def _may_try(self, integration: str) -> bool:
        """Take the one trial after the pause. Return False if another call was first."""
        trial = update(Breaker).where(Breaker.integration == integration, _has_waited)
        with write_transaction() as session:
            taken = trial.values(open_until=from_now(OPEN_SECONDS))
            return session.execute(taken.returning(Breaker.integration)).first() is not None

    @contextmanager
    def counting(self, effects: Effects) -> Iterator[None]:
        """Count the outcome of a call for the vendor that was asked last, if there was one."""
        try:
            yield
        except ServiceError as error:
            self._note(effects.last_integration, is_down(error) and not effects.has_gone_on)
            raise
        self._note(effects.last_integration, has_failed=False)

    def _note(self, integration: str | None, has_failed: bool) -> None:
        """Count the outcome of a call. A database error is only logged."""
        if integration is None:
            return
        try:
            (self.note_failure if has_failed else self.note_success)(integration)
        except SQLAlchemyError as error:
            log.warning("breaker not updated", error=type(error).__name__)

    def note_success(self, integration: str) -> None:
        if self._known.get(integration, (0.0, 0))[1] == 0:
            return
        with write_transaction() as session:
            closed = update(Breaker).where(Breaker.integration == integration)
            session.execute(closed.values(failures=0, open_until=None))
        self._known[integration] = (time.monotonic(), 0)

    def note_failure(self, integration: str) -> None:
        try:
            self._count(integration)
        except IntegrityError:  # another first failure came at the same time: now there is a row
            self._count(integration)

    def _count(self, integration: str) -> None:
        with write_transaction() as session:
            row = session.get(Breaker, integration, with_for_update=True)
            row = row or Breaker(integration=integration, failures=0)
            row.failures += 1
            if row.failures >= FAILURES:
                row.open_until = from_now(OPEN_SECONDS)
            session.add(row)
            self._known[integration] = (time.monotonic(), row.failures)
