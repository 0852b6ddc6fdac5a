"""Renew this worker's lease, and watch the claims under it.

The claim watch interrupts turns whose claim requests their end, and turns that another turn has
overtaken. It restores claims that were swept. It removes the claims and holds of turns that ended
without rows, of admissions whose commit is uncertain, and of any other claim without a turn. It is
separate from the watchman of `running.py`, because the database may hang and deadlines must not.
"""

import time
from collections.abc import Callable
from itertools import product

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.app_keys import AppKey
from service.background import BackgroundWork
from service.billing import ledger
from service.chat import claims, collections
from service.chat.calling.waits import WAITS, Waits
from service.chat.claims import RunningClaim
from service.chat.turn import rows
from service.chat.turn.lease_watch import LEASE_WATCH, LeaseWatch
from service.chat.turn.running import RUNS, Run, Runs
from service.chat.worker_lease import WORKER_LEASE, WorkerLease
from service.database.access import background_context, background_transaction, write_transaction
from service.database.prepared import reading
from service.generation.completion import MODELS
from service.ids import new_id
from service.lifecycle import LIFECYCLE
from service.observing.measures import TURN_FAILURES, TURNS_RUNNING, claims_not_renewed
from service.observing.sampler import SAMPLER
from service.providers.events import OPERATOR_FAULTS

CLAIM_WATCH = AppKey["ClaimWatch"]("claim_watch")
LOOK_SECONDS = 0.5  # between looks at the claims
RECENT_SECONDS = 2.0  # after its claim was seen, a turn need not read it

Cleanup = Callable[[Session], None]

log = structlog.get_logger("turn")


class ClaimWatch(BackgroundWork):
    """Watches the claims of this worker. It works only while turns run or a cleanup is left."""

    def __init__(self, app: Flask, runs: Runs, lease: WorkerLease) -> None:
        self._app = app
        self._runs = runs
        self._listeners: list[Callable[[Run], None]] = []
        self._lease = lease
        self._expected: set[str] = set()  # turns that are being admitted
        self._cleanups: dict[str, Cleanup] = {}  # by turn id; they are tried again
        self._looked = float("-inf")  # when the last look at the claims began; monotonic

    @property
    def is_done(self) -> bool:
        """Whether no cleanup is left."""
        return not self._cleanups

    def on_watched(self, listener: Callable[[Run], None]) -> None:
        """Call the listener with a run at each look while other workers' readers watch it."""
        self._listeners.append(listener)

    def expect(self, turn_id: str) -> None:
        """Note that a turn is being admitted: its claim may exist before its run does."""
        self._expected.add(turn_id)

    def expect_no_more(self, turn_id: str) -> None:
        self._expected.discard(turn_id)

    def check(self, run: Run, may_write: bool = False) -> None:
        """Raise `Interrupted` in a turn that must end, or that another turn has overtaken.

        A worker may go on after it was suspended for longer than its lease, before it looks at its
        claims. If something may be written, the claim is read in any case: the clock of a virtual
        machine stands still while the machine is suspended.
        """
        seen = max(self._looked, run.question.began)
        is_recent = time.monotonic() - seen < RECENT_SECONDS
        if run.is_claimed and (may_write or not is_recent):
            self._check_claim(run)
        run.interruption.check_here()

    def _check_claim(self, run: Run) -> None:
        try:
            with background_context(self._app):
                with reading(self._app) as connection:
                    has_claim = claims.has_claim(connection, run.question.turn_id)
                if not has_claim:
                    self._restore_claim(run)
        except (SQLAlchemyError, gevent.Timeout) as error:  # an outage is no reason to end it
            log.warning("claim not checked", error=type(error).__name__)

    def clean_up(self, run: Run) -> None:
        """Remove the claim of a turn that has ended without rows, and charge its cost.

        While the database is unavailable, this is tried again until it succeeds.
        """

        def end(session: Session) -> None:
            question = run.question
            collections.forget_if_deleted(session, question.chat_id, question.caller.subject)
            run.was_watched |= claims.drop(session, question.turn_id).was_watched
            run.hold.charge(session)

        try:
            self._execute(end)
        except (SQLAlchemyError, gevent.Timeout) as error:
            log.warning("claim not dropped yet", error=type(error).__name__)
            self._cleanups[run.question.turn_id] = end

    def take_back(self, turn_id: str, account: str) -> None:
        """Remove the claim and the hold of a turn that never began, if they were stored."""

        def end(session: Session) -> None:
            claims.drop(session, turn_id)
            ledger.withdraw(session, account, turn_id)

        self._cleanups[turn_id] = end
        self.expect_no_more(turn_id)
        self.wake()

    def _work(self) -> None:
        gevent.sleep(LOOK_SECONDS)
        while not self._check_safely() or self._runs or self._cleanups:
            gevent.sleep(LOOK_SECONDS)

    def _check_safely(self) -> bool:
        try:
            with background_context(self._app):
                self._check_claims()
        except (SQLAlchemyError, gevent.Timeout) as error:
            claims_not_renewed.inc()
            log.warning("lease not renewed", error=type(error).__name__)
            return False
        return True

    def _check_claims(self) -> None:
        if self._runs:
            self._lease.renew_if_due()
        running, began = list(self._runs), time.monotonic()
        stored = claims.claims_under(self._lease.id)
        self._looked = began
        self._act_on_requests(stored)
        self._restore(stored, running)
        self._find_strays(stored)
        for turn_id in list(self._cleanups):
            self._try(turn_id)

    def _act_on_requests(self, stored: dict[str, RunningClaim]) -> None:
        """Interrupt turns whose claim requests their end; tell listeners of watched turns."""
        for turn_id, claim in stored.items():
            run = self._runs.get(turn_id)
            if run and claim.end_reason:
                run.interruption.interrupt(claim.end_reason)
            elif run and claim.is_watched:
                run.note_watchers(claims.WATCH_SECONDS)
                for listener in self._listeners:
                    listener(run)

    def _restore(self, stored: dict[str, RunningClaim], running: list[Run]) -> None:
        """Restore the claims of turns that have none.

        `running` are the turns that ran before `stored` was read: a turn begins after its claim.
        """
        for run in running:
            if run.is_claimed and run.question.turn_id not in stored:
                self._restore_claim(run)

    def _restore_claim(self, run: Run) -> None:
        """Claim again for a turn whose claim was swept.

        Interrupts the turn if another turn has claimed the message, or has answered it.
        """
        turn_id = run.question.turn_id
        with write_transaction() as session:
            connection = session.connection()
            is_restored = not rows.is_answered(connection, run.question)
            if is_restored:
                reply = claims.send_claim(session, run.question, self._lease.id)
                # The turn and the watch may restore it at the same time.
                is_restored = claims.is_ours(reply) or claims.has_claim(connection, turn_id)
        run.was_unclaimed = True
        log.warning("claim lost", turn_id=turn_id, restored=is_restored)
        if not is_restored:
            run.interruption.interrupt("overtaken")

    def _find_strays(self, stored: dict[str, RunningClaim]) -> None:
        """Remove this worker's claims without a turn: the failure of their admission was missed.

        They are read again, because a turn may have ended since `stored` was read. Its claim is
        gone before its run.
        """
        suspects = {turn_id for turn_id in stored if not self._is_known(turn_id)}
        for turn_id, claim in claims.claims_under(self._lease.id).items() if suspects else ():
            if turn_id in suspects and not self._is_known(turn_id):
                log.info("claim without a turn", turn_id=turn_id)
                self.take_back(turn_id, claim.user_id)

    def _is_known(self, turn_id: str) -> bool:
        has_turn = self._runs.get(turn_id) or turn_id in self._expected
        return bool(has_turn) or turn_id in self._cleanups

    def _try(self, turn_id: str) -> None:
        """Run a cleanup. One that fails moves behind the others, so that they need not wait for it.

        After an unexpected error it is not tried again. The worker does not end meanwhile.
        """
        cleanup, is_left = self._cleanups[turn_id], False
        try:
            self._execute(cleanup)
        except (SQLAlchemyError, gevent.Timeout, gevent.GreenletExit):
            is_left = True
            raise
        finally:
            self._cleanups.pop(turn_id, None)
            if is_left:
                self._cleanups[turn_id] = cleanup

    def _execute(self, cleanup: Cleanup) -> None:
        with background_transaction(self._app) as session:
            cleanup(session)


def init_app(app: Flask) -> None:
    """Set up this worker's running turns, its lease and their watches."""
    runs = RUNS.set(app, Runs())
    lease = WORKER_LEASE.set(app, WorkerLease(new_id("lease")))
    LEASE_WATCH.set(app, LeaseWatch())
    WAITS.set(app, Waits(app))
    watch = CLAIM_WATCH.set(app, ClaimWatch(app, runs, lease))
    sampler = SAMPLER.of(app)
    sampler.add(TURNS_RUNNING, lambda: len(runs))
    for series in product(MODELS.of(app), OPERATOR_FAULTS):
        TURN_FAILURES.labels(*series)  # starts at 0, so the first failure is an increase
    lifecycle = LIFECYCLE.of(app)
    lifecycle.on_drain(runs.drain)
    lifecycle.ends_after(lambda: not runs)
    lifecycle.ends_after(lambda: watch.is_done)
