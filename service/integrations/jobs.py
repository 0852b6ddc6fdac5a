"""Slow endpoints: a job at the vendor's own task API, asked for when somebody asks us.

Source: contract section 10, "Slow endpoints are jobs".
"""

import json
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import gevent
from sqlalchemy import select

from service.auth import users
from service.database import write_transaction
from service.errors import InvalidRequest, NotFound, ServiceError, UpstreamFailed, UpstreamTimedOut
from service.extensions import db, now
from service.ids import new_id
from service.integrations import places
from service.integrations.call import Call
from service.integrations.catalog import Endpoint, Job, Task
from service.integrations.models import IntegrationJob
from service.integrations.seal import Sealer
from service.integrations.shape import checked
from service.json_values import encode

LONGEST_WAIT = 60  # seconds that a call may be held open for its job
MAKE_CALL = Callable[[Endpoint], Call]
NAP = 0.25  # seconds until the worker's end is noticed
OUT_OF_TIME = {"error": UpstreamTimedOut.code}


class Jobs:
    """Every method needs an app context."""

    def __init__(self, sealer: Sealer, make_call: MAKE_CALL, is_ending: Callable[[], bool]) -> None:
        """`is_ending` tells whether this worker is: then nobody is kept waiting."""
        self._sealer, self._make_call, self._is_ending = sealer, make_call, is_ending

    def begin(self, user_id: str, endpoint: Endpoint, task: Task) -> IntegrationJob:
        """The job of a task that the vendor has accepted."""
        row = self._new(user_id, endpoint, new_id("job"), task.id)
        self._settle(row, task)
        return row

    def _new(self, user_id: str, endpoint: Endpoint, job_id: str, task_id: str) -> IntegrationJob:
        return IntegrationJob(
            job_id=job_id,
            user_id=user_id,
            endpoint=endpoint.name,
            task_id=task_id,
            state="running",
            ends_at=now() + timedelta(seconds=_job(endpoint).limit),
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
        if row.state == "running":
            self._look(row, endpoints(row.endpoint))
        return self.shown(row)

    def find(self, user_id: str, job_id: str) -> IntegrationJob | None:
        row = db.session.scalar(select(IntegrationJob).filter_by(job_id=job_id, user_id=user_id))
        db.session.commit()
        return row

    def adopt(self, user_id: str, endpoint: Endpoint, job_id: str) -> None:
        """Whose a job is that another instance keeps, where all users' jobs are one owner's."""
        if self.find(user_id, job_id) is None:
            self._settle(self._new(user_id, endpoint, job_id, job_id), Task(job_id))

    def check_own(self, user_id: str, endpoint: Endpoint, params: Mapping[str, Any]) -> None:
        """Raises `InvalidRequest` where parameters continue a task that is none of the user's: all
        users' tasks run under the operator's one account, and their ids are no secrets."""
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
        task = checked(_job(endpoint).poll)(self._make_call(endpoint), row.task_id)
        if task.state == "running" and row.ends_at < now():
            self._settle(row, Task(row.task_id, "failed", OUT_OF_TIME))
            raise UpstreamTimedOut()
        self._settle(row, task)

    def _settle(self, row: IntegrationJob, task: Task) -> None:
        row.state = task.state
        if task.state != "running":
            row.result = self._sealer.seal(encode(task.result), places.job(row.job_id))
        with write_transaction() as session:
            users.hold(session, row.user_id)  # or it would come back after an erase
            session.merge(row)

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


def _job(endpoint: Endpoint) -> Job:
    assert endpoint.job, endpoint.name
    return endpoint.job
