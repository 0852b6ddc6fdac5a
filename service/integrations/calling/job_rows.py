"""The rows of jobs: stored with their charge, ended once with a refund, and swept.

All writes run in the caller's transaction. Source: docs/contract.md, sections 9.7 and 10.7.
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session

from service.billing import refunds
from service.billing.payer import Payer
from service.database.clock import current_time, from_now
from service.extensions import table
from service.integrations.models import IntegrationJob
from service.limits.concurrency import TooManyAtOnce
from service.observing import measures

KEPT_SECONDS = 7 * 24 * 3600.0  # for a job's row, after its time limit

_jobs = table(IntegrationJob)


class TooManyJobs(TooManyAtOnce):
    message = "Too many of your jobs are running. Ask for their state, or wait for one to end."
    headers = {"Retry-After": "30"}


@dataclass(frozen=True)
class JobEnd:
    """The end of a job. `cost` is in micro-credits, or None if the vendor does not report it."""

    state: str
    result: str | None
    cost: int | None = None


_running = (
    select(func.count())
    .where(_jobs.c.user_id == bindparam("user"), _jobs.c.state == "running")
    .where(_jobs.c.ends_at > current_time())
)


def check_room(session: Session, user_id: str, most: int) -> None:
    """Raise `TooManyJobs` if `most` of a user's jobs run according to their rows.

    A row shows the end of a job only after a request for its state. Calls that start at the same
    moment do not count each other; they have a limit of their own.
    """
    count = session.scalar(_running, {"user": user_id}) or 0
    session.commit()
    if count >= most:
        measures.LIMITED.labels("jobs-at-once").inc()
        raise TooManyJobs()


def has_task(session: Session, user_id: str, endpoint: str, task_id: str) -> bool:
    """Return whether a vendor's task belongs to one of a user's jobs of an endpoint."""
    mine = {"user_id": user_id, "endpoint": endpoint, "task_id": task_id}
    job_id = session.scalar(select(_jobs.c.job_id).filter_by(**mine).limit(1))
    session.commit()
    return job_id is not None


def is_out_of_time(session: Session, job_id: str) -> bool:
    mine = select(_jobs.c.ends_at <= current_time()).where(_jobs.c.job_id == job_id)
    is_out = session.scalar(mine)
    session.commit()
    return bool(is_out)


def store(session: Session, row: IntegrationJob, payer: Payer | None, charged: int) -> None:
    """Store a new job and its charge in micro-credits, unless the job is already stored."""
    if session.scalar(select(_jobs.c.job_id).where(_jobs.c.job_id == row.job_id)):
        return
    names = ("job_id", "user_id", "endpoint", "task_id", "state", "result", "ends_at")
    values = {name: getattr(row, name) for name in names} | {"charged": charged}
    paid = {"payer": payer and payer.subject, "token_id": payer and payer.token_id}
    session.execute(insert(_jobs).values(**values, **paid, created_at=current_time()))


def end(session: Session, row: IntegrationJob, job_end: JobEnd) -> int | None:
    """Store the end of a running job, and refund the part of the charge above its cost.

    Returns the refund in micro-credits, or None if the job had already ended.
    """
    running = update(_jobs).where(_jobs.c.job_id == row.job_id, _jobs.c.state == "running")
    ended = running.values(state=job_end.state, result=job_end.result)
    paid = (_jobs.c.payer, _jobs.c.charged, _jobs.c.token_id, _jobs.c.created_at)
    charge = session.execute(ended.returning(*paid)).one_or_none()
    if charge is None:
        return None
    cost = job_end.cost
    refund = charge.charged - cost if charge.charged and cost is not None else 0
    if refund <= 0:
        return 0
    refunds.refund(
        session,
        charge.payer,
        refund,
        row.job_id,
        row.endpoint,
        charge.token_id,
        charge.created_at.date(),
    )
    return refund


def end_elsewhere(session: Session, user_id: str, job_id: str, state: str) -> None:
    """Store the end of a job at another instance, which has its result. It frees the job's room."""
    mine = {"user_id": user_id, "job_id": job_id, "task_id": job_id, "state": "running"}
    session.execute(update(_jobs).filter_by(**mine).values(state=state))


def load(session: Session, job_id: str) -> JobEnd | None:
    """Return the stored state and result of a job, or None if its row no longer exists."""
    found = select(_jobs.c.state, _jobs.c.result).where(_jobs.c.job_id == job_id)
    one = session.execute(found).one_or_none()
    return JobEnd(one.state, one.result) if one else None


def sweep(session: Session) -> list[str]:
    """Delete jobs and their results `KEPT_SECONDS` after their time limit. Return their ids."""
    old = delete(_jobs).where(_jobs.c.ends_at < from_now(-KEPT_SECONDS))
    return list(session.scalars(old.returning(_jobs.c.job_id)))
