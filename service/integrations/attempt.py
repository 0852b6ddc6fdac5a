"""One attempt at a call: its hold, its key, and what is stored of it when it has ended.

Charge, job and answer are stored in one transaction. So a key is never charged without an answer,
and no answer is kept that was not charged. Sources: contract sections 9 and 10.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import structlog
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from service.auth import users
from service.billing import ledger
from service.billing.payer import Payer
from service.database import write_transaction
from service.ids import new_id
from service.integrations import jobs
from service.integrations.call import Call
from service.integrations.idempotency import InFlight, Once
from service.integrations.keeper import KeyKeeper
from service.integrations.models import IntegrationJob
from service.json_values import encode

log = structlog.get_logger("integrations")


@dataclass(frozen=True)
class Charge:
    """What a call will be charged: the payer, the amount to hold, and the facts of the entry.

    `most` is what is held and `starting` what a new account gets, in micro-credits; the hold
    expires after `seconds`.
    """

    payer: Payer
    most: int
    starting: int
    seconds: float
    what: str
    facts: dict[str, Any]


class Attempt:
    """A context. If it is left before `end`, the hold is freed, and the key too, unless the vendor
    may have changed something. Needs an app context."""

    def __init__(
        self, user_id: str, charge: Charge | None, once: Once | None, keeper: KeyKeeper
    ) -> None:
        self.call: Call | None = None  # the one that makes the requests
        self._user_id = user_id
        self._charge, self._once, self._keeper = charge, once, keeper
        self._hold: str | None = None
        self._ended = False

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._ended and (self._hold or self._once):
            self._free()

    def hold(self) -> None:
        """Hold the most that the call can cost.

        Raises `InsufficientCredits`, and `Unauthorized` if the user was just disabled or erased.
        """
        if not self._charge:
            return
        charge = self._charge
        with write_transaction() as session:
            users.hold(session, self._user_id)  # or their account would come back after an erase
            ledger.ensure_account(session, charge.payer.subject, charge.starting)
            self._hold = ledger.reserve(
                session, charge.payer, charge.most, new_id("call"), None, charge.seconds
            )

    def leave(self) -> None:
        """Store in the key that the call leaves. To be called before its first request."""
        if self._once:
            self._once.leave()

    def end(self, cost: int, answer: Any, job: IntegrationJob | None) -> None:
        """Charge `cost` in micro-credits, store the job, keep the answer.

        After a lost connection it is tried again at once: it has no effect twice, even if the first
        COMMIT was carried out. With a key, what could not be stored is stored once the database is
        back. If another attempt has the key by now, nothing is charged or stored. Raises
        SQLAlchemyError, `InFlight`.
        """
        sealed = self._once.sealed(encode(answer)) if self._once else ""

        def store() -> None:
            with write_transaction() as session:
                self._store(session, cost, sealed, job)

        if self._hold or self._once or job:
            self._insist(store)
        self._ended = True

    def _insist(self, store: Callable[[], None]) -> None:
        try:
            try:
                store()
            except OperationalError:
                store()
        except SQLAlchemyError:
            self._ended = self._once is not None and self._keeper.store_later(self._once, store)
            raise

    def _store(self, session: Session, cost: int, sealed: str, job: IntegrationJob | None) -> None:
        """What the vendor has done is paid for, also if the user has gone meanwhile."""
        charged, is_there = 0, users.hold_row(session, self._user_id)
        if is_there and self._once and not self._once.keep(session, sealed):
            raise InFlight()
        if self._hold and self._charge:
            charged = ledger.settle(
                session, self._hold, cost, self._charge.what, self._charge.facts
            )
        if job and is_there:
            payer = self._charge.payer.subject if self._charge else None
            jobs.store(session, job, payer, charged)

    def _free(self) -> None:
        """Free hold and key. If the database is away they lapse, and the first error is raised."""
        acted = self.call is not None and self.call.may_have_acted
        try:
            with write_transaction() as session:
                if self._hold and self._charge:
                    ledger.settle(session, self._hold, 0, self._charge.what, {})
                if self._once:
                    (self._once.give_up if acted else self._once.forget)(session)
        except SQLAlchemyError as error:
            log.warning("attempt not freed", error=type(error).__name__)
