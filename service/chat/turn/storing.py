"""Store an ended turn, also if the database is lost meanwhile. Source: docs/contract.md, 5.9."""

import time

import gevent
import structlog
from flask import Flask
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError, TimeoutError

from service.chat.models import Turn
from service.chat.question import Question
from service.chat.turn import replacement, rows
from service.chat.turn.row_values import TurnStatus
from service.chat.turn.running import Run
from service.database.access import core_transaction
from service.extensions import db

WRITE_SECONDS = 10.0  # for one try; then the connection counts as lost
LOOK_SECONDS = 5.0  # for which an unavailable database is asked for the rows
LOOK_EVERY = 0.25  # seconds

# The transaction was not committed, or its outcome is unknown: its connection was lost, it got no
# connection, or it was the victim of a deadlock.
MAYBE_COMMITTED = (DBAPIError, TimeoutError, gevent.Timeout)

log = structlog.get_logger("turn")


def store(app: Flask, run: Run, status: TurnStatus) -> None:
    """Store all three rows, end the claim and charge the turn, in one transaction.

    A turn that has lost its claim still stores its rows, unless another turn has answered. When the
    connection is lost, the outcome is unknown. Then the committed rows are looked up as soon as the
    database is available, and if there are none, the transaction is tried once more. A row that the
    database refuses is tried twice. Raises `ChatDeleted`, `NotStored`.
    """
    try:
        _try(app, run, status)
    except MAYBE_COMMITTED as error:
        log.warning("rows not stored", error=type(error).__name__)
        try:
            _once_more(app, run, status)
        except MAYBE_COMMITTED as again:
            log.error("rows not stored", error=type(again).__name__)
            raise rows.NotStored() from None


def _once_more(app: Flask, run: Run, status: TurnStatus) -> None:
    if _is_stored(app, run.question):
        return
    try:
        _try(app, run, status)
    except (*MAYBE_COMMITTED, rows.NotStored):
        # Perhaps the commit was only slow, or its reply was lost.
        if not _is_stored(app, run.question):
            raise


def _try(app: Flask, run: Run, status: TurnStatus) -> None:
    """Store the rows by one statement for each table.

    If one is refused, all is done again with a savepoint for each row. Savepoints cost as much as
    the rows, and a row is hardly ever refused.
    """
    with gevent.Timeout(WRITE_SECONDS):
        replacement.prepare(app, run.question)
        try:
            with core_transaction(app) as session:
                rows.write(session, run, status, None)
        except DBAPIError as error:
            refused = rows.refused_insert(error)
            if refused is None:
                raise
            with core_transaction(app) as session:
                rows.write(session, run, status, refused)


def _is_stored(app: Flask, question: Question) -> bool:
    """Return whether the turn is stored.

    Raises one of `MAYBE_COMMITTED` if the database stays unavailable.
    """
    ends = time.monotonic() + LOOK_SECONDS
    while True:
        try:
            return _is_in_database(app, question)
        except MAYBE_COMMITTED:
            if time.monotonic() > ends:
                raise
        gevent.sleep(LOOK_EVERY)


def _is_in_database(app: Flask, question: Question) -> bool:
    with gevent.Timeout(WRITE_SECONDS), app.app_context():
        stored = select(Turn.seq).where(Turn.turn_id == question.turn_id)
        return db.session.scalar(stored) is not None
