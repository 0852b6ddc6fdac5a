"""The collection `integration-calls`: its rows, and their changes for subscribers.

Source: docs/contract.md, section 17.2.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from sqlalchemy import RowMapping, bindparam, delete, insert, select, update
from sqlalchemy.orm import Session

from service.activity.models import IntegrationCall
from service.billing.units import to_credits
from service.database.clock import from_now
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.database.upsert import InsertIfAbsent
from service.extensions import table
from service.integrations.calling.call_log import CallFacts, CallOutcome, EndedCall
from service.records import outbox
from service.records.collection import EVERY_ROLE, Collection, Column
from service.records.envelope import full_envelope
from service.times import now

KEPT_SECONDS = 30 * 24 * 3600.0
BATCH = 500  # rows of one transaction

INTEGRATION_CALLS = Collection(
    name="integration-calls",
    model=IntegrationCall,
    record_id="call_id",
    columns=(
        Column("userId", attribute="user_id", required=True, fixed=True),
        Column("endpoint", attribute="endpoint", required=True, fixed=True, most=64),
        Column("integration", attribute="integration", required=True, fixed=True, most=64),
        Column("payer", attribute="payer", required=True, fixed=True),  # user, developer
        Column("door", attribute="door", required=True, fixed=True),  # http, chat, mcp, widget
        Column("approval", attribute="approval", fixed=True),
        Column("status", attribute="status", required=True, fixed=True),
        Column("error", attribute="error", fixed=True),
        Column("upstreamStatus", "integer", "upstream_status", fixed=True),
        Column("credits", "number", "charged", fixed=True),
        Column("ms", "integer", "ms", required=True, fixed=True),
        Column("jobId", attribute="job_id", fixed=True, most=64),
    ),
    permissions={EVERY_ROLE: {"read": "own"}},
)

# Built once: building a statement takes several times as long as running it.
_calls = table(IntegrationCall)
INSERT_NEW = Prepared(insert(_calls).inline())
INSERT_ONCE = InsertIfAbsent(_calls)
OF_JOB = (
    select(_calls)
    .where(_calls.c.job_id == bindparam("job"), _calls.c.user_id == bindparam("user"))
    .with_for_update()
)


class CallRows:
    """The rows of calls, for the proxy. Every method writes in the caller's transaction."""

    def add(self, session: Statements, calls: list[EndedCall]) -> bool:
        """Add the rows of calls. A single row is added once, even if that is tried again."""
        connection, moment = session.connection(), now()
        rows = [_row(facts, outcome, moment) for facts, outcome in calls]
        if len(rows) > 1:
            INSERT_NEW.send_many(connection, rows)
        elif not INSERT_ONCE.execute(connection, rows[0]):
            return False
        outbox.append(connection, [_change(None, row) for row in rows])
        return True

    def end_job(
        self, session: Session, user_id: str, job_id: str, error: str | None, refund: int
    ) -> None:
        """Store how the job of a call has ended; `refund` is in micro-credits."""
        for row in session.execute(OF_JOB, {"job": job_id, "user": user_id}).mappings().all():
            if row["status"] == "accepted":
                _end(session, row, error, refund)


def _row(facts: CallFacts, outcome: CallOutcome, moment: datetime) -> dict[str, Any]:
    return {
        "call_id": facts.call_id,
        "user_id": facts.user_id,
        "endpoint": facts.endpoint,
        "integration": facts.integration,
        "payer": facts.billing,
        "door": facts.door,
        "approval": facts.approval,
        "status": outcome.status,
        "error": outcome.error,
        "upstream_status": outcome.upstream_status,
        "credits": outcome.credits,
        "ms": facts.ms,
        "job_id": outcome.job_id,
        "created_at": moment,
        "updated_at": moment,
    }


def _end(session: Session, row: RowMapping, error: str | None, refund: int) -> None:
    moment = now()
    took = max(moment - row["created_at"], timedelta())  # another host's clock may be ahead
    changes = {
        "status": "failed" if error else "succeeded",
        "error": error,
        "credits": None if row["credits"] is None else row["credits"] - refund,
        "ms": row["ms"] + round(took.total_seconds() * 1000),
        "updated_at": moment,
    }
    _update(session, [row], changes)


def expire(session: Session, job_ids: Iterable[str]) -> None:
    """Mark the calls whose jobs were deleted before anybody read their end."""
    ids = list(job_ids)
    for start in range(0, len(ids), BATCH):
        batch = _calls.c.job_id.in_(ids[start : start + BATCH])
        running = select(_calls).where(batch, _calls.c.status == "accepted").with_for_update()
        rows = session.execute(running).mappings().all()
        _update(session, rows, {"status": "expired", "updated_at": now()})


def sweep(session: Session) -> int:
    """Delete a batch of the calls older than `KEPT_SECONDS`; returns how many, 0 at the end."""
    # In the order of the index: in the table's order, SQLite would read the whole table.
    old = select(_calls).where(_calls.c.created_at < from_now(-KEPT_SECONDS))
    batch = old.order_by(_calls.c.created_at).limit(BATCH).with_for_update(skip_locked=True)
    rows = session.execute(batch).mappings().all()
    if rows:
        session.execute(delete(_calls).where(_calls.c.seq.in_([row["seq"] for row in rows])))
        outbox.append(session.connection(), [_change(row, None) for row in rows])
    return len(rows)


def _update(session: Session, rows: Iterable[RowMapping], changes: dict[str, Any]) -> None:
    """Change rows that the transaction has locked."""
    for row in rows:
        session.execute(update(_calls).where(_calls.c.seq == row["seq"]).values(**changes))
        outbox.append(session.connection(), [_change(row, {**row, **changes})])


def _change(before: Any, after: Any) -> outbox.Row:
    was, is_now = (row and full_envelope(INTEGRATION_CALLS, _call(row)) for row in (before, after))
    return outbox.change(INTEGRATION_CALLS, (after or before)["user_id"], was, is_now)


def _call(row: Any) -> Any:
    """Return a row as the collection reads it, without the overhead of a model."""
    credits = row["credits"]
    return SimpleNamespace(**row, charged=None if credits is None else to_credits(credits))
