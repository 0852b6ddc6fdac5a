"""Slow endpoints: a job at the vendor's own task API, asked for when somebody asks us.

Source: contract section 10, "Slow endpoints are jobs".
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import gevent
from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from service.auth import users
from service.billing import ledger
from service.clock import current_time, from_now
from service.database import write_transaction
from service.errors import InvalidRequest, NotFound, ServiceError, UpstreamFailed, UpstreamTimedOut
from service.extensions import db, table
from service.ids import new_id
from service.integrations import places
from service.integrations.call import Call
from service.integrations.catalog import Endpoint, Job, Task
from service.integrations.models import IntegrationJob
from service.integrations.seal import Sealer
from service.json_values import encode

LONGEST_WAIT = 60  # seconds that a call may be held open for its job
MAKE_CALL = Callable[[Endpoint], Call]
NAP = 0.25  # seconds until the worker's end is noticed
KEPT = 7 * 24 * 3600.0  # seconds for which a job can be looked at after its time
OUT_OF_TIME = {"error": UpstreamTimedOut.code}

_jobs = table(IntegrationJob)


class Jobs:
    """Every method needs an app context."""

    def __init__(self, sealer: Sealer, make_call: MAKE_CALL, is_ending: Callable[[], bool]) -> None:
        """`is_ending` tells whether this worker is: then nobody is kept waiting."""
        self._sealer, self._make_call, self._is_ending = sealer, make_call, is_ending

    def begin(self, user_id: str, endpoint: Endpoint, task: Task) -> IntegrationJob:
        """The job of a task that the vendor has accepted, for `store`."""
        row = self._new(user_id, endpoint, new_id("job"), task)
        row.result = self._sealed(row, task)
        return row

    def _new(self, user_id: str, endpoint: Endpoint, job_id: str, task: Task) -> IntegrationJob:
        return IntegrationJob(
            job_id=job_id,
            user_id=user_id,
            endpoint=endpoint.name,
            task_id=task.id,
            state=task.state,
            ends_at=from_now(_job(endpoint).limit),
        )

    def watch(self, row: IntegrationJob, endpoint: Endpoint, wait: float) -> None:
        """Until it has ended, at most for `wait` seconds."""
        interval, ends = _job(endpoint).interval, time.monotonic() + wait
        while row.state == "running" and self._sleep(min(interval, ends - time.monotonic())):
            try:
                self._look(row, endpoint)
            except ServiceError:
                return  # it has been paid for: the caller needs its id to ask again

    def _sleep(self, seconds: float) -> bool:
        """Whether it was slept to the end."""
        ends = time.monotonic() + seconds
        while not self._is_ending() and (left := ends - time.monotonic()) > 0:
            gevent.sleep(min(left, NAP))
        return seconds > 0 and not self._is_ending()

    def state(
        self, user_id: str, job_id: str, endpoints: Callable[[str], Endpoint]
    ) -> dict[str, Any]:
        """A job of the user's own, asked for at the vendor while it runs. Raises `NotFound`."""
        row = self.find(user_id, job_id)
        if row is None or row.is_elsewhere:
            raise NotFound()
        db.session.expunge(row)  # only `_end` writes the row
        if row.state == "running":
            self._look(row, endpoints(row.endpoint))
        return self.shown(row)

    def find(self, user_id: str, job_id: str) -> IntegrationJob | None:
        row = db.session.scalar(select(IntegrationJob).filter_by(job_id=job_id, user_id=user_id))
        db.session.commit()
        return row

    def adopt(self, user_id: str, endpoint: Endpoint, job_id: str) -> None:
        """Note whose a job at another instance is: there all users' jobs are the owner's."""
        if self.find(user_id, job_id) is None:
            with write_transaction() as session:
                if users.hold_row(session, user_id):  # or it would come back after an erase
                    store(session, self._new(user_id, endpoint, job_id, Task(job_id)), None, 0)

    def check_own(self, user_id: str, endpoint: Endpoint, params: Mapping[str, Any]) -> None:
        """Raises `InvalidRequest` if parameters continue a task that is not the user's: all users'
        tasks run under the operator's one account, and their ids are no secrets."""
        name = endpoint.continues
        if name is None or params.get(name) is None:
            return
        mine = {"user_id": user_id, "endpoint": endpoint.name, "task_id": params[name]}
        found = db.session.scalar(select(IntegrationJob.job_id).filter_by(**mine).limit(1))
        db.session.commit()
        if found is None:
            raise InvalidRequest(details={name: ["You have no such job."]})

    def _look(self, row: IntegrationJob, endpoint: Endpoint) -> None:
        """Raises `UpstreamTimedOut` once the job has had its time.

        Asked for late it may have ended in time all the same, and has been paid for.
        """
        task = _job(endpoint).poll(self._make_call(endpoint), row.task_id)
        if task.state == "running":
            if not self._is_out_of_time(row):
                return
            self._end(row, Task(row.task_id, "failed", OUT_OF_TIME))
            raise UpstreamTimedOut()
        self._end(row, task)

    def _is_out_of_time(self, row: IntegrationJob) -> bool:
        mine = select(_jobs.c.ends_at <= current_time()).where(_jobs.c.job_id == row.job_id)
        is_out = db.session.scalar(mine)
        db.session.commit()
        return bool(is_out)

    def _end(self, row: IntegrationJob, task: Task) -> None:
        """Store a job's result, and give back the difference if it cost less than was charged."""
        row.state, row.result = task.state, self._sealed(row, task)
        running = update(_jobs).where(_jobs.c.job_id == row.job_id, _jobs.c.state == "running")
        ended = running.values(state=row.state, result=row.result)
        paid = (_jobs.c.payer, _jobs.c.charged)
        with write_transaction() as session:
            users.hold(session, row.user_id)  # or it would come back after an erase
            known = session.execute(ended.returning(*paid)).one_or_none()
            if known and known.charged and task.cost is not None:
                back = known.charged - task.cost
                if back > 0:
                    what = f"refund {row.endpoint}"
                    ledger.grant(session, known.payer, back, f"refund:{row.job_id}", what)

    def _sealed(self, row: IntegrationJob, task: Task) -> str | None:
        if task.state == "running":
            return None
        return self._sealer.seal(encode(task.result), places.job(row.job_id))

    def shown(self, row: IntegrationJob) -> dict[str, Any]:
        """What its owner sees. Raises `UpstreamFailed`, `UpstreamTimedOut` for one that failed."""
        shown: dict[str, Any] = {"jobId": row.job_id, "status": row.state}
        if row.result:
            shown["result"] = json.loads(self._sealer.open(row.result, places.job(row.job_id)))
        if row.state != "failed":
            return shown
        if shown["result"] == OUT_OF_TIME:
            raise UpstreamTimedOut()
        raise UpstreamFailed("The upstream could not complete this.", upstreamStatus=None)


def store(session: Session, row: IntegrationJob, payer: str | None, charged: int) -> None:
    """Store a new job and what `payer` was charged, in micro-credits; once for each job."""
    if session.scalar(select(_jobs.c.job_id).where(_jobs.c.job_id == row.job_id)):
        return
    names = ("job_id", "user_id", "endpoint", "task_id", "state", "result", "ends_at")
    values = {name: getattr(row, name) for name in names}
    paid = {"payer": payer, "charged": charged}
    session.execute(insert(_jobs).values(**values, **paid, created_at=current_time()))


def sweep(session: Session) -> None:
    """Delete jobs, with their results, `KEPT` seconds after their time."""
    session.execute(delete(_jobs).where(_jobs.c.ends_at < from_now(-KEPT)))


def _job(endpoint: Endpoint) -> Job:
    assert endpoint.job, endpoint.name
    return endpoint.job
