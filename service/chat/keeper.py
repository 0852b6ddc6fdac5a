"""Keeps this worker's lease while it has turns, and ends those that somebody wants ended.

Apart from the watchman of `running.py`, because the database may hang and deadlines must not.
"""

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.chat import claims, costs, sweeper
from service.chat.claims import LeaseKeeper
from service.chat.running import Run, Runs
from service.database import write_transaction
from service.ids import new_id
from service.lifecycle import Lifecycle

LOOK_SECONDS = 0.5  # between looks for requested ends
QUERY_SECONDS = 5.0  # a database that hangs longer is away

log = structlog.get_logger("turn")


class Keeper:
    """Works only while there are running turns, or ended ones whose claim is still to go."""

    def __init__(self, app: Flask, runs: Runs, lease: LeaseKeeper) -> None:
        self._app = app
        self._runs = runs
        self._lease = lease
        self._ended: list[Run] = []
        self._greenlet: gevent.Greenlet | None = None

    def attend(self) -> None:
        if not self._greenlet:
            self._greenlet = gevent.spawn(self._work)

    def stop(self) -> None:
        if self._greenlet:
            self._greenlet.kill()
            self._greenlet = None

    def let_go(self, run: Run) -> None:
        """A turn without rows has ended: its claim goes, and what it has used is charged.

        While the database is away, this is tried again until it is done.
        """
        try:
            self._end(run)
        except (SQLAlchemyError, gevent.Timeout) as error:
            log.warning("claim kept for now", error=type(error).__name__)
            self._ended.append(run)

    def _work(self) -> None:
        gevent.sleep(LOOK_SECONDS)
        while self._runs or self._ended:
            try:
                with gevent.Timeout(QUERY_SECONDS):
                    self._look()
            except (SQLAlchemyError, gevent.Timeout) as error:
                log.warning("lease not kept", error=type(error).__name__)
            gevent.sleep(LOOK_SECONDS)
        self._greenlet = None

    def _look(self) -> None:
        with self._app.app_context():
            for turn_id, reason in claims.requested_ends(self._lease.id).items():
                run = self._runs.get(turn_id)
                if run:
                    run.interrupt(reason)
            self._lease.keep()
        while self._ended:
            self._end(self._ended[0])
            self._ended.pop(0)

    def _end(self, run: Run) -> None:
        limit = gevent.Timeout(QUERY_SECONDS)
        with limit, self._app.app_context(), write_transaction() as session:
            claims.drop(session, run.question.turn_id)
            costs.charge(session, run)


def init_app(app: Flask) -> None:
    """This worker's running turns, its lease, and its end."""
    lifecycle = app.extensions["lifecycle"] = Lifecycle()
    runs = app.extensions["runs"] = Runs()
    lease = app.extensions["lease"] = LeaseKeeper(new_id("lease"))
    app.extensions["keeper"] = Keeper(app, runs, lease)
    lifecycle.on_drain(runs.drain)
    app.extensions["start_sweeping"] = lambda: sweeper.start(app)
