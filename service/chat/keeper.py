"""Renews this worker's lease, restores its turns' claims, and ends the turns that shall end.

It also removes what is left over: claims and holds of turns that ended without rows, of admissions
that may or may not have been committed, and any other claim under this worker's lease without a
turn. It is not part of the watchman of `running.py`: the database may hang, and deadlines must not.
"""

from collections.abc import Callable

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.billing import ledger
from service.chat import claims, costs, sweeper
from service.chat.claims import Held, LeaseKeeper
from service.chat.running import Run, Runs
from service.chat.watch import Watch
from service.database import write_transaction
from service.ids import new_id
from service.lifecycle import Lifecycle

LOOK_SECONDS = 0.5  # between looks at the claims
QUERY_SECONDS = 5.0  # a database that hangs longer is away

Ending = Callable[[Session], None]

log = structlog.get_logger("turn")


class Keeper:
    """Works only while turns run or something is left to be removed."""

    def __init__(self, app: Flask, runs: Runs, lease: LeaseKeeper) -> None:
        self._app = app
        self._runs = runs
        self._lease = lease
        self._expected: set[str] = set()  # turns that are being admitted
        self._endings: dict[str, Ending] = {}  # by turn id, to be tried again
        self._greenlet: gevent.Greenlet | None = None

    def attend(self) -> None:
        if not self._greenlet:
            self._greenlet = gevent.spawn(self._work)

    def stop(self) -> None:
        if self._greenlet:
            self._greenlet.kill()
            self._greenlet = None

    def expect(self, turn_id: str) -> None:
        """A turn is being admitted: its claim may be there before its run is."""
        self._expected.add(turn_id)

    def expect_no_more(self, turn_id: str) -> None:
        self._expected.discard(turn_id)

    def let_go(self, run: Run) -> None:
        """A turn without rows has ended: its claim goes, and what it has used is charged.

        While the database is away, this is tried again until it is done.
        """

        def end(session: Session) -> None:
            claims.drop(session, run.question.turn_id)
            costs.charge(session, run)

        try:
            self._end(end)
        except (SQLAlchemyError, gevent.Timeout) as error:
            log.warning("claim kept for now", error=type(error).__name__)
            self._endings[run.question.turn_id] = end

    def take_back(self, turn_id: str, account: str) -> None:
        """Remove the claim and the hold of a turn that never began, if they are there."""

        def end(session: Session) -> None:
            claims.drop(session, turn_id)
            ledger.withdraw(session, account, turn_id)

        self._endings[turn_id] = end
        self.expect_no_more(turn_id)
        self.attend()

    def _work(self) -> None:
        gevent.sleep(LOOK_SECONDS)
        while not self._look_safely() or self._runs or self._endings:
            gevent.sleep(LOOK_SECONDS)
        self._greenlet = None

    def _look_safely(self) -> bool:
        try:
            with gevent.Timeout(QUERY_SECONDS):
                self._look()
        except (SQLAlchemyError, gevent.Timeout) as error:
            log.warning("lease not kept", error=type(error).__name__)
            return False
        return True

    def _look(self) -> None:
        with self._app.app_context():
            if self._runs:
                self._lease.keep()
            running = list(self._runs)
            held = claims.held_by(self._lease.id)
            self._interrupt(held)
            self._restore(held, running)
        self._find_strays(held)
        for turn_id, end in list(self._endings.items()):
            self._end(end)
            del self._endings[turn_id]

    def _interrupt(self, held: dict[str, Held]) -> None:
        """Interrupt the turns whose claim asks for it."""
        for turn_id, claim in held.items():
            run = self._runs.get(turn_id)
            if run and claim.end_reason:
                run.interrupt(claim.end_reason)

    def _restore(self, held: dict[str, Held], running: list[Run]) -> None:
        """Claim again for turns whose claim was swept, if no other turn has it.

        `running` are the turns that ran before `held` was read: a turn begins after its claim.
        """
        for run in running:
            if run.is_claimed and run.question.turn_id not in held:
                with write_transaction() as session:
                    done = claims.restore(session, run.question, self._lease.id)
                run.was_unclaimed = True
                log.warning("claim lost", turn_id=run.question.turn_id, restored=done)

    def _find_strays(self, held: dict[str, Held]) -> None:
        """Take back claims of this worker's without a turn: their admission failed unnoticed."""
        for turn_id, claim in held.items():
            known = self._runs.get(turn_id) or turn_id in self._expected
            if not known and turn_id not in self._endings:
                log.info("claim without a turn", turn_id=turn_id)
                self.take_back(turn_id, claim.user_id)

    def _end(self, end: Ending) -> None:
        limit = gevent.Timeout(QUERY_SECONDS)
        with limit, self._app.app_context(), write_transaction() as session:
            end(session)


def init_app(app: Flask) -> None:
    """This worker's running turns, its lease, and its end."""
    lifecycle = app.extensions["lifecycle"] = Lifecycle()
    runs = app.extensions["runs"] = Runs()
    lease = app.extensions["lease"] = LeaseKeeper(new_id("lease"))
    app.extensions["watch"] = Watch()
    app.extensions["keeper"] = Keeper(app, runs, lease)
    lifecycle.on_drain(runs.drain)
    app.extensions["start_sweeping"] = lambda: sweeper.start(app)
