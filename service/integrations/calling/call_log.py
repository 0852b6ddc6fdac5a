"""The log of calls: one row for each call of an endpoint, which tells its user how it ended.

Logged is every call of a known caller and a known endpoint: also one that was refused, by us or by
the vendor, for its body, its price or a missing grant. A repetition that gets the stored answer of
its `Idempotency-Key` is the same call, and leaves no row of its own. A row is written with the
charge where there is one, and otherwise at the end of the call; a call never fails for it.
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
from service.billing.prices import credits
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
ABORTED = "aborted"  # the error of a call whose work was ended from outside
DEFECT = ServiceError.code  # that of a fault of ours


@dataclass(frozen=True)
class CallFacts:
    """What is known of a call. `billing` is the `payer` of its row in the log, and `ms` is how long
    it has taken so far."""

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
    """How a call has ended.

    `accepted` is a job that runs, and `consent` a call that needs one. A call is `refused` with a
    status below 500: nothing was wrong at our end or the vendor's. `credits` are micro-credits,
    None if they are not known.
    """

    status: CallStatus
    error: str | None = None
    upstream_status: int | None = None
    credits: int | None = 0
    job_id: str | None = None


EndedCall = tuple[CallFacts, CallOutcome]


class Rows(Protocol):
    """Where the rows of calls are kept. Each method writes in the caller's transaction."""

    def add(self, session: Statements, calls: list[EndedCall]) -> None: ...

    def end_job(
        self, session: Session, user_id: str, job_id: str, error: str | None, refund: int
    ) -> None: ...


class LoggedRows:
    """Writes rows of calls: with others of the moment, or in a transaction of the caller's."""

    def __init__(self, rows: Rows, writes: SharedWrites) -> None:
        self._rows, self._writes = rows, writes

    def add(self, session: Statements, facts: CallFacts, outcome: CallOutcome) -> None:
        """Write the row of a call in a transaction that may be tried again."""
        self._rows.add(session, [(facts, outcome)])

    def write(self, facts: CallFacts, outcome: CallOutcome) -> None:
        """Write the row of a call, and wait until it is there. A failure is logged only."""
        self._writes.add(self._store, (facts, outcome)).wait()

    def _store(self, session: Statements, calls: list[EndedCall]) -> None:
        """Users who were erased meanwhile get no row."""
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
        self._stored: CallOutcome | None = None  # in the row, if it has one
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
        # There can be none without the database, and a limit of what runs at once leaves none.
        if not isinstance(error, (SQLAlchemyError, TooManyAtOnce)):
            self._rows.write(self._facts_with_time(), self._outcome)

    def end(self, outcome: CallOutcome) -> None:
        """Tell how the call has ended, unless it ends with an error."""
        self._outcome = outcome

    def write(self, session: Session, outcome: CallOutcome) -> None:
        """Write the row in a transaction that also stores the user's charge or answer.

        `has_row` is set by the caller, after the commit.
        """
        self._rows.add(session, self._facts_with_time(), outcome)
        self._stored = outcome

    def _count(self, outcome: CallOutcome | None) -> None:
        """Without an outcome, the stored answer of the call's first try was given again."""
        self._end_span(outcome)
        name = self._facts.endpoint
        endpoint_calls(name, outcome.status if outcome else "repeated").inc()
        if outcome and outcome.credits:
            endpoint_credits(name).inc(credits(outcome.credits))

    def _end_span(self, outcome: CallOutcome | None) -> None:
        if outcome:
            self._span.set(
                app__call__status=outcome.status,
                http__response__status_code=outcome.upstream_status,
                app__credits=credits(outcome.credits) if outcome.credits else None,
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
    """How a call has ended that another instance has made, which charges it as well."""
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
    """The code of an error as it can be stored: another instance may send any text."""
    is_code = isinstance(code, str) and code != ""
    return make_storable(code)[:ERROR_LIMIT] if is_code else otherwise


def job_elsewhere(data: Any) -> str | None:
    """The id of the other instance's job that an answer names, if it can be stored."""
    job_id = data.get("jobId") if isinstance(data, dict) else None
    usable = isinstance(job_id, str) and 0 < len(job_id) <= JOB_ID_LIMIT and job_id.isprintable()
    return job_id if usable else None
