"""Ends claims of lost workers and expired holds, and deletes rows that are too old.

A worker sweeps only after the database has answered it for some time without a gap. After a gap,
the owners of what looks expired need that time to renew or settle it.
"""

import random
import time
from collections.abc import Collection
from dataclasses import dataclass

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.billing import ledger
from service.chat import claims, journal
from service.chat.watch import LOOK_SECONDS, Watch
from service.clock import current_time
from service.database import write_transaction
from service.integrations import consents, idempotency, jobs
from service.records import once, outbox

SWEEP_SECONDS = 10.0

log = structlog.get_logger("sweeper")


@dataclass(frozen=True)
class Swept:
    holds: int
    turns: int
    changes: int  # old rows of the outbox
    entries: int  # and of the journal


def sweep(silent: Collection[str] = ()) -> Swept:
    """Sweep once, in batches. Of the `silent` leases, those that have lapsed are lost.

    Needs an app context.
    """
    holds = sum(iter(lambda: _sweep_holds(silent), 0))
    with write_transaction() as session:
        turns = claims.sweep(session, silent)
        consents.sweep(session)
        idempotency.sweep(session)
        jobs.sweep(session)
        once.sweep(session)
    changes, entries = sum(iter(_prune_outbox, 0)), sum(iter(_sweep_journal, 0))
    return Swept(holds, turns, changes, entries)


def sweep_patiently() -> Swept:
    """Watch until it is certain which of the lapsed leases are silent, if any lapsed; then sweep.

    Needs an app context.
    """
    watch = Watch()
    watch.look()
    while watch.lapsed and not watch.is_steady:
        gevent.sleep(LOOK_SECONDS)
        watch.look()
    return sweep(watch.silent)


def start(app: Flask) -> gevent.Greenlet:
    """Sweep from time to time for as long as the worker lives."""
    return gevent.spawn(_sweep_on, app)


def _sweep_on(app: Flask) -> None:
    watch: Watch = app.extensions["watch"]
    due = _next_sweep()
    while True:
        gevent.sleep(LOOK_SECONDS)
        try:
            with app.app_context():
                watch.look()
                if watch.is_steady and time.monotonic() >= due:
                    _tell(sweep(watch.silent))
                    due = _next_sweep()
        except SQLAlchemyError as error:
            log.warning("not swept", error=type(error).__name__)


def _next_sweep() -> float:
    """When to sweep next: at random, so that the workers do not all sweep at once."""
    return time.monotonic() + SWEEP_SECONDS * random.uniform(0.5, 1.5)  # noqa: S311


def _tell(swept: Swept) -> None:
    if swept.holds or swept.turns:
        log.info("swept", holds=swept.holds, turns=swept.turns)


def _prune_outbox() -> int:
    with write_transaction() as session:
        return outbox.prune(session)


def _sweep_journal() -> int:
    with write_transaction() as session:
        journal.name_owners(session)
        return journal.sweep(session)


def _sweep_holds(silent: Collection[str]) -> int:
    with write_transaction() as session:
        return ledger.sweep(session, current_time(), claims.alive(silent))
