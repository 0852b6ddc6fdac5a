"""One attempt at a call: its hold, its idempotency key, and the rows that are stored at its end.

Charge, job and answer are stored in one transaction. So no key is charged without an answer, and no
answer is kept without its charge. Source: docs/contract.md, sections 9 and 10.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.billing import ledger
from service.billing.payer import Payer
from service.database.access import write_transaction
from service.database.time_limits import usual_time_limit
from service.integrations.calling import job_rows
from service.integrations.calling.call import Call
from service.integrations.calling.call_log import CallOutcome, CallStatus, LoggedCall
from service.integrations.calling.idempotency import InFlight, KeyLease, OutcomeUnknown
from service.integrations.calling.lease_renewal import LeaseRenewal
from service.integrations.models import IntegrationJob
from service.web.errors import Unauthorized
from service.web.json_values import encode

log = structlog.get_logger("integrations")


@dataclass(frozen=True)
class Charge:
    """The charge of a call: its payer, the amount to hold, and the facts of the ledger's entry.

    `most` is the amount to hold and `starting` the amount of a new account, in micro-credits. The
    hold expires after `seconds`.
    """

    payer: Payer
    most: int
    starting: int
    seconds: float
    what: str
    facts: dict[str, Any]


class Attempt:
    """A context manager for one attempt at a call. Needs an app context.

    If it exits before `end`, it frees the hold. It then also frees the key, unless the vendor may
    have changed something. A user who was erased while the vendor did its work gets
    `OutcomeUnknown` for a call with a key, because `Unauthorized` means that nothing was done.
    """

    def __init__(
        self,
        user_id: str,
        charge: Charge | None,
        lease: KeyLease | None,
        renewal: LeaseRenewal,
        logged: LoggedCall,
    ) -> None:
        self.call: Call | None = None  # makes the requests
        self._user_id, self._logged = user_id, logged
        self._charge, self._lease, self._renewal = charge, lease, renewal
        self._hold: str | None = None
        self._ended = False

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._ended and (self._hold or self._lease):
            self._free()
        if self._lease and self._may_have_acted and isinstance(error, Unauthorized):
            raise OutcomeUnknown() from error

    def hold(self) -> None:
        """Hold the most that the call can cost.

        Raises `InsufficientCredits`, and `Unauthorized` if the user was just disabled or erased.
        """
        if not self._charge:
            return
        charge = self._charge
        with write_transaction() as session:
            # Without the lock, the account of an erased user would be created again.
            user_locks.lock(session, self._user_id)
            self._hold = ledger.reserve(
                session,
                charge.payer,
                charge.most,
                self._logged.call_id,
                None,
                charge.seconds,
                charge.starting,
            )

    @property
    def leave(self) -> Callable[[], None]:
        """The function that stores in the key that the call is sent, before its first request.

        It is a method of the key. If the call had a method of its attempt, both would form a cycle,
        which only the garbage collector could free.
        """
        return self._lease.leave if self._lease else _nothing

    def end(self, cost: int, answer: Any, job: IntegrationJob | None) -> None:
        """Charge `cost` in micro-credits, store the job, keep the answer.

        After a lost connection the transaction is tried again at once. It has no second effect,
        even if the first COMMIT was carried out. With a key, a transaction that failed is tried
        again when the database is available. If another attempt has the key by now, nothing is
        charged or stored. Raises SQLAlchemyError, `InFlight`.
        """
        sealed = self._lease.seal_answer(encode(answer)) if self._lease else ""

        def store() -> None:
            with write_transaction() as session:
                self._store(session, cost, sealed, job)

        if self._hold or self._lease or job:
            self._insist(store)
            self._logged.has_row = True
        self._ended = True

    def _insist(self, store: Callable[[], None]) -> None:
        try:
            try:
                store()
            except OperationalError:
                store()
        except SQLAlchemyError:
            self._ended = self._lease is not None and self._renewal.store_later(
                self._lease.holder, store
            )
            raise

    def _store(self, session: Session, cost: int, sealed: str, job: IntegrationJob | None) -> None:
        """Store everything. The vendor's work is charged even if the user was erased meanwhile."""
        charged, is_there = 0, user_locks.lock_row(session, self._user_id)
        if is_there and self._lease and not self._lease.keep(session, sealed):
            raise InFlight()
        if self._hold and self._charge:
            charged = ledger.settle(
                session, self._hold, cost, self._charge.what, self._charge.facts
            )
        if job and is_there:
            job_rows.store(session, job, self._charge.payer if self._charge else None, charged)
        outcome = _outcome(job, charged)
        if is_there:
            self._logged.write(session, outcome)
        else:
            self._logged.keep(outcome)

    @property
    def _may_have_acted(self) -> bool:
        """Whether the vendor may have changed something."""
        return self.call is not None and self.call.effects.may_have_acted

    def _free(self) -> None:
        """Free the hold and the key. During an outage they expire instead, and this only logs.

        The usual time limit applies, because the caller's own may have passed.
        """
        try:
            with usual_time_limit(), write_transaction() as session:
                user_locks.lock_row(session, self._user_id)
                if self._lease:
                    free = self._lease.give_up if self._may_have_acted else self._lease.forget
                    free(session)
                if self._hold and self._charge:
                    ledger.settle(session, self._hold, 0, self._charge.what, {})
        except SQLAlchemyError as error:
            log.warning("attempt not freed", error=type(error).__name__)


def _outcome(job: IntegrationJob | None, charged: int) -> CallOutcome:
    is_running = job is not None and job.state == "running"
    status: CallStatus = "accepted" if is_running else "succeeded"
    return CallOutcome(status, credits=charged, job_id=job.job_id if job else None)


def _nothing() -> None:
    pass
