"""What nobody will end any more: claims of lost workers, and holds that have expired."""

import random
from dataclasses import dataclass

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.billing import ledger
from service.chat import claims, journal
from service.database import write_transaction
from service.extensions import now
from service.integrations import consents, idempotency
from service.records import once, outbox

SWEEP_SECONDS = 10.0

log = structlog.get_logger("sweeper")


@dataclass(frozen=True)
class Swept:
    holds: int
    turns: int
    changes: int  # old rows of the outbox
    entries: int  # and of the journal


def sweep() -> Swept:
    """Sweep once, in batches; needs an app context."""
    holds = sum(iter(_sweep_holds, 0))
    with write_transaction() as session:
        turns = claims.sweep(session)
        consents.sweep(session, now())
        idempotency.sweep(session, now())
        once.sweep(session)
    changes, entries = sum(iter(_prune_outbox, 0)), sum(iter(_sweep_journal, 0))
    return Swept(holds, turns, changes, entries)


def start(app: Flask) -> gevent.Greenlet:
    """Sweep from time to time for as long as the worker lives."""
    return gevent.spawn(_sweep_on, app)


def _sweep_on(app: Flask) -> None:
    while True:
        # Spread, so that the workers do not all come at once.
        gevent.sleep(SWEEP_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311
        try:
            with app.app_context():
                swept = sweep()
        except SQLAlchemyError as error:
            log.warning("not swept", error=type(error).__name__)
            continue
        if swept.holds or swept.turns:
            log.info("swept", holds=swept.holds, turns=swept.turns)


def _prune_outbox() -> int:
    with write_transaction() as session:
        return outbox.prune(session, now())


def _sweep_journal() -> int:
    with write_transaction() as session:
        journal.name_owners(session)
        return journal.sweep(session, now())


def _sweep_holds() -> int:
    with write_transaction() as session:
        return ledger.sweep(session, now(), claims.alive())
