"""End the claims of lost workers and expired holds, and delete rows that are too old.

A worker sweeps only after the database has answered it for some time without a gap. After a gap,
the owners of claims and holds that look expired need that time to renew or settle them.
"""

import random
import sys
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields
from datetime import timedelta
from functools import partial

import gevent
import structlog
from flask import Flask, current_app
from sqlalchemy.exc import SQLAlchemyError

from service.activity import calls
from service.app_keys import APP_SETTINGS
from service.billing import allowances, ledger
from service.chat import claims, indexed_words, journal
from service.chat.calling import approvals
from service.chat.finding import index
from service.chat.relay import publications
from service.chat.turn.lease_watch import LEASE_WATCH, LOOK_SECONDS, LeaseWatch
from service.database.access import is_outage, write_transaction
from service.database.clock import current_time
from service.database.failures import failure_of
from service.database.kept_transaction import INTERRUPTIONS
from service.database.revisions import is_migrated, stored_revision
from service.integrations.calling import answer_sweep, job_rows, key_rows, user_limits
from service.integrations.consent import consents
from service.integrations.idle_grants import refresh_quietly
from service.lifecycle import LIFECYCLE
from service.limits import rates
from service.mcp import states
from service.media.sweeping import MEDIA_SWEEPER
from service.observing.measures import swept_holds, swept_turns
from service.records import idempotency, outbox
from service.sign_in import session_rows
from service.supervised import LastingGreenlets

SWEEP_SECONDS = 10.0
NOT_MIGRATED = "the database is not migrated: run flask --app wsgi db upgrade"
IDLE_SECONDS = 600.0  # between two rounds of a worker, each of which refreshes a few grants

log = structlog.get_logger("sweeper")


@dataclass(frozen=True)
class Sweep:
    """How many rows of each kind were ended or deleted."""

    holds: int
    turns: int
    changes: int  # old rows of the outbox
    entries: int  # old rows of the journal
    media: int  # expired items


def sweep(silent: Collection[str] = ()) -> Sweep:
    """Sweep once, in batches. The `silent` leases that have lapsed are lost.

    If a step fails, the later ones are still executed, unless the database is unavailable; its
    error is raised afterwards. Needs an app context.
    """
    done: dict[str, int] = {}
    is_over = False

    def take(name: str, step: Callable[[], int | None]) -> None:
        nonlocal is_over
        if is_over:
            return
        try:
            with current_app.app_context():  # it closes everything that a step leaves open
                done[name] = step() or 0
        except (SQLAlchemyError, *INTERRUPTIONS) as error:
            is_over = not isinstance(error, SQLAlchemyError) or is_outage(error)
            raise
        finally:
            if name not in done:  # because the error of a later step would hide this one
                log.warning("step not swept", step=name, error=type(sys.exception()).__name__)

    with ExitStack() as steps:
        for name, step in reversed(_steps(silent).items()):
            steps.callback(take, name, step)
    return Sweep(**{field.name: done[field.name] for field in fields(Sweep)})


def _steps(silent: Collection[str]) -> dict[str, Callable[[], int | None]]:
    return {
        "holds": lambda: _repeat_until_done(partial(_sweep_holds, silent)),
        "turns": partial(_sweep_turns, silent),
        "states": _sweep_states,
        "answers": answer_sweep.sweep,
        "words": indexed_words.put_back,
        "index": index.forget_deleted,
        "counts": _sweep_counts,
        "calls": lambda: _repeat_until_done(_sweep_calls),
        "changes": lambda: _repeat_until_done(_prune_outbox),
        "entries": lambda: _repeat_until_done(_sweep_journal),
        "media": MEDIA_SWEEPER.of(current_app).sweep,
    }


def _repeat_until_done(sweep_batch: Callable[[], int]) -> int:
    return sum(iter(sweep_batch, 0))


def sweep_patiently() -> Sweep:
    """Sweep once it is certain which lapsed leases are silent.

    It does not wait if no lease has lapsed. Needs an app context.
    """
    watch = LeaseWatch()
    watch.look()
    while watch.lapsed and not watch.is_steady:
        gevent.sleep(LOOK_SECONDS)
        watch.look()
    return sweep(watch.silent)


def start(app: Flask) -> LastingGreenlets:
    """Sweep at intervals until the worker ends, and refresh grants that nobody uses.

    An unexpected error ends only one round.
    """
    greenlets = LastingGreenlets("sweeper")
    greenlets.spawn(_sweep_at_intervals, app)
    if days := APP_SETTINGS.of(app).grant_idle_days:
        greenlets.spawn(_refresh_at_intervals, app, timedelta(days=days))
    return greenlets


def _sweep_at_intervals(app: Flask) -> None:
    watch = LEASE_WATCH.of(app)
    due = _next_sweep()
    while True:
        gevent.sleep(LOOK_SECONDS)
        try:
            with app.app_context():
                watch.look()
                if watch.is_steady and time.monotonic() >= due:
                    due = _next_sweep()  # also after an error
                    _log(sweep(watch.silent))
        except SQLAlchemyError as error:
            reason = failure_of(error) or _missing_migration(app)
            log.warning("not swept", error=type(error).__name__, reason=reason)


def _missing_migration(app: Flask) -> str | None:
    """Return a reason if the database is not migrated.

    Otherwise the log would only show errors of various statements.
    """
    with app.app_context(), suppress(SQLAlchemyError):
        return None if is_migrated(stored_revision()) else NOT_MIGRATED
    return None


def _refresh_at_intervals(app: Flask, idle: timedelta) -> None:
    """Refresh idle grants in a separate greenlet: a sweep must not wait for vendors."""
    while True:
        gevent.sleep(IDLE_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311
        if not LIFECYCLE.of(app).draining:
            refresh_quietly(app, idle)


def _next_sweep() -> float:
    """Return the time of the next sweep, at random, so that workers do not all sweep at once."""
    return time.monotonic() + SWEEP_SECONDS * random.uniform(0.5, 1.5)  # noqa: S311


def _log(result: Sweep) -> None:
    if result.holds or result.turns:
        log.info("swept", holds=result.holds, turns=result.turns)


def _prune_outbox() -> int:
    with write_transaction() as session:
        return outbox.prune(session)


def _sweep_calls() -> int:
    with write_transaction() as session:
        return calls.sweep(session)


def _sweep_journal() -> int:
    with write_transaction() as session:
        journal.name_owners(session)
        return journal.sweep(session)


def _sweep_holds(silent: Collection[str]) -> int:
    with write_transaction() as session:
        count = ledger.sweep(session, current_time(), claims.live_leases(silent))
    swept_holds.inc(count)
    return count


def _sweep_turns(silent: Collection[str]) -> int:
    with write_transaction() as session:
        count = claims.sweep(session, silent)
    swept_turns.inc(count)
    return count


def _sweep_states() -> None:
    """Delete states that are valid only for minutes."""
    with write_transaction() as session:
        consents.sweep(session)
        key_rows.sweep(session)
        calls.expire(session, job_rows.sweep(session))
        idempotency.sweep(session)
        states.sweep(session)
        approvals.sweep(session)
        publications.sweep(session)


def _sweep_counts() -> None:
    with write_transaction() as session:
        user_limits.sweep(session)
        rates.sweep(session)
        allowances.sweep(session)
        session_rows.sweep(session)
