"""The log of calls: one row for each call of an endpoint, which shows its user the outcome.

Every call of a known caller and a known endpoint is logged. This includes calls that we or the
vendor refused, for example for their body, their price or a missing grant. A repetition that gets
the stored answer of its `Idempotency-Key` is the same call, and gets no row of its own. A row is
written with the charge if there is one, and otherwise at the end of the call. A call never fails
because of its row.
Source: docs/contract.md, section 17.2.
"""

import time
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from config_values import Billing
from service.app_keys import AppKey
from service.auth import user_locks
from service.billing.units import to_credits
from service.database.batching import SharedWrites
from service.database.statements import Statements
from service.ids import new_id
from service.integrations.inbound import ProxyResponse
from service.limits.concurrency import TooManyAtOnce
from service.observing import spans
from service.observing.measures import endpoint_calls, endpoint_credits
from service.storable import make_storable
from service.web.errors import ServiceError

CALL_ROWS = AppKey["Rows"]("call_rows")
CallStatus = Literal["succeeded", "accepted", "failed", "refused", "consent"]
JOB_ID_LIMIT = 64  # characters
ERROR_LIMIT = 64  # characters
ABORTED = "aborted"  # the error of a call whose greenlet was killed
DEFECT = ServiceError.code  # the error of a fault in this service


@dataclass(frozen=True)
class CallFacts:
    """The facts of a call, for its row in the log.

    `billing` becomes the row's `payer`. `ms` is the call's duration so far.
    """

    user_id: str
    endpoint: str
    integration: str
    billing: Billing
    door: str
    approval: str | None
    call_id: str = field(default_factory=lambda: new_id("call"))
    ms: int = 0


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of a call.

    `accepted` is a running job, and `consent` a call that needs a consent. A call is `refused` with
    a status below 500: the fault was neither ours nor the vendor's. `credits` are micro-credits, or
    None if the charge is unknown.
    """

    status: CallStatus
    error: str | None = None
    upstream_status: int | None = None
    credits: int | None = 0
    job_id: str | None = None


EndedCall = tuple[CallFacts, CallOutcome]


class Rows(Protocol):
    """The store of the rows of calls. Each method writes in the caller's transaction.

    `add` returns False if a single row was there already.
    """

    def add(self, session: Statements, calls: list[EndedCall]) -> bool: ...

    def end_job(
        self, session: Session, user_id: str, job_id: str, error: str | None, refund: int
    ) -> None: ...


class LoggedRows:
    """Writes rows of calls: together with others, or in the caller's transaction."""

    def __init__(self, rows: Rows, writes: SharedWrites) -> None:
        self._rows, self._writes = rows, writes

    def add(self, session: Statements, facts: CallFacts, outcome: CallOutcome) -> bool:
        """Write the row of a call in a transaction that may be tried again.

        Return False if an earlier try has written it.
        """
        return self._rows.add(session, [(facts, outcome)])

    def write(self, facts: CallFacts, outcome: CallOutcome) -> None:
        """Write the row of a call, and wait until it is stored. A failure is only logged."""
        self._writes.add(self._store, (facts, outcome)).wait()

    def _store(self, session: Statements, calls: list[EndedCall]) -> None:
        """Add rows, except for users who were erased meanwhile."""
        there = user_locks.lock_rows(session, {facts.user_id for facts, _ in calls})
        known = [call for call in calls if call[0].user_id in there]
        if known:
            self._rows.add(session, known)


class LoggedCall:
    """A context manager for one call, whose row is written at its exit unless it has one by then.

    The rows of calls that end at the same moment share a transaction.
    """

    def __init__(self, rows: "LoggedRows", facts: CallFacts) -> None:
        self.has_row = False
        self.call_id = facts.call_id
        self._rows, self._facts = rows, facts
        self._outcome = CallOutcome("succeeded")
        self._stored: CallOutcome | None = None  # as written in the call's row, if it has one
        self._span = spans.NO_SPAN
        self._began = time.monotonic()

    def __enter__(self) -> "LoggedCall":
        self._span = _span(self._facts)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self.has_row:
            self._count(self._stored)
            return
        if error:
            self._outcome = _outcome_of(error)
        self._count(self._outcome)
        # Without the database no row can be written, and too many calls at once get none.
        if not isinstance(error, (SQLAlchemyError, TooManyAtOnce)):
            self._rows.write(self._facts_with_time(), self._outcome)

    def end(self, outcome: CallOutcome) -> None:
        """Set the outcome of the call, which an error replaces."""
        self._outcome = outcome

    def write(self, session: Session, outcome: CallOutcome) -> None:
        """Write the row in a transaction that also stores the user's charge or answer.

        The caller sets `has_row` after the commit. If the commit of an earlier try was carried out,
        the row has the outcome of that try.
        """
        if self._rows.add(session, self._facts_with_time(), outcome):
            self._stored = outcome

    def keep(self, outcome: CallOutcome) -> None:
        """Keep the outcome of a call that has no row, because its user was erased meanwhile.

        The first try that charges is the one that counts.
        """
        if self._stored is None or outcome.credits:
            self._stored = outcome

    def _count(self, outcome: CallOutcome | None) -> None:
        """Count the call. The outcome is None if a stored answer was given again."""
        self._end_span(outcome)
        name = self._facts.endpoint
        endpoint_calls(name, outcome.status if outcome else "repeated").inc()
        if outcome and outcome.credits:
            endpoint_credits(name).inc(to_credits(outcome.credits))

    def _end_span(self, outcome: CallOutcome | None) -> None:
        if outcome:
            self._span.set(
                app__call__status=outcome.status,
                http__response__status_code=outcome.upstream_status,
                app__credits=to_credits(outcome.credits) if outcome.credits else None,
            )
        else:
            self._span.set(app__call__status="repeated")
        if outcome and outcome.error:
            self._span.fail(outcome.error)
        self._span.end()

    def _facts_with_time(self) -> CallFacts:
        return replace(self._facts, ms=round((time.monotonic() - self._began) * 1000))


def _span(facts: CallFacts) -> spans.Span:
    """Begin the span of a call."""
    span = spans.start(f"call {facts.endpoint}", "client")
    span.set(
        app__endpoint=facts.endpoint,
        app__integration=facts.integration,
        app__payer=facts.billing,
        app__door=facts.door,
        app__approval=facts.approval,
    )
    return span


def _outcome_of(error: BaseException) -> CallOutcome:
    if not isinstance(error, ServiceError):
        return CallOutcome("failed", DEFECT if isinstance(error, Exception) else ABORTED)
    return _failure(error.status, error.code, error.facts.get("upstreamStatus"))


def _failure(status: int, code: Any, upstream: Any) -> CallOutcome:
    is_status = isinstance(upstream, int) and 100 <= upstream <= 999
    return CallOutcome(
        "refused" if status < 500 else "failed",
        error_elsewhere(code, DEFECT),
        upstream if is_status else None,
    )


def outcome_elsewhere(response: ProxyResponse) -> CallOutcome:
    """Return the outcome of a call that another instance has made and charged."""
    envelope, data = response.envelope, response.data
    if response.status >= 400:
        return _failure(response.status, envelope.get("error"), envelope.get("upstreamStatus"))
    if response.is_payload:
        return CallOutcome("consent")
    if job_id := job_elsewhere(data):
        is_running = data.get("status") == "running"
        return CallOutcome("accepted" if is_running else "succeeded", credits=None, job_id=job_id)
    return CallOutcome("succeeded", credits=None)


def error_elsewhere(code: Any, otherwise: str) -> str:
    """Return another instance's error code in a form that can be stored. It may be any text."""
    is_code = isinstance(code, str) and code != ""
    return make_storable(code)[:ERROR_LIMIT] if is_code else otherwise


def job_elsewhere(data: Any) -> str | None:
    """Return the id of the other instance's job in an answer, if it can be stored."""
    job_id = data.get("jobId") if isinstance(data, dict) else None
    usable = isinstance(job_id, str) and 0 < len(job_id) <= JOB_ID_LIMIT and job_id.isprintable()
    return job_id if usable else None
