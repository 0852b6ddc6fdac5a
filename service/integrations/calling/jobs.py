"""Jobs of slow endpoints: tasks at the vendor's API, which are polled when a client asks.

Source: docs/contract.md, section 10.7.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import gevent
import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from service.auth import user_locks
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.ids import new_id
from service.integrations.calling import job_rows
from service.integrations.calling.call_log import Rows
from service.integrations.calling.call_media import CallMedia
from service.integrations.calling.job_rows import JobEnd
from service.integrations.calling.task_polls import OUT_OF_TIME, MakeCall, TaskPolls, error_of
from service.integrations.calling.unsealing import unseal
from service.integrations.consent.connections import Connections
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.faults import GrantRejected, ScopeMissing
from service.integrations.declare.task import Job, Task
from service.integrations.inbound import Answer
from service.integrations.models import IntegrationJob
from service.sealing import places
from service.sealing.seal import Sealer
from service.web.errors import (
    InvalidRequest,
    NotFound,
    ServiceError,
    UpstreamFailed,
    UpstreamTimedOut,
)
from service.web.json_values import encode

MakeMedia = Callable[[Endpoint, str], CallMedia]  # for a user's id
NAP = 0.25  # seconds until the worker's end is noticed

log = structlog.get_logger("integrations")


class Jobs:
    """The jobs of this instance. Every method needs an app context."""

    def __init__(
        self,
        sealer: Sealer,
        connections: Connections,
        make_call: MakeCall,
        make_media: MakeMedia,
        is_ending: Callable[[], bool],
        rows: Rows,
    ) -> None:
        """`is_ending` returns whether this worker is ending: then no call waits for its job.

        `rows` are the rows of calls, in which the end of their jobs is stored.
        """
        self._sealer, self._connections = sealer, connections
        self._polls = TaskPolls(connections, make_call)
        self._make_media, self._is_ending, self._rows = make_media, is_ending, rows

    def begin(self, user_id: str, endpoint: Endpoint, task: Task) -> IntegrationJob:
        """Return the job of a task that the vendor has accepted, for `store`."""
        row = self._new(user_id, endpoint, new_id("job"), task)
        row.result = self._seal(row, task)
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
        """Poll a job until it has ended, at most for `wait` seconds."""
        interval, ends = _job(endpoint).interval, time.monotonic() + wait
        while row.state == "running" and self._sleep(min(interval, ends - time.monotonic())):
            if not self._try(row, endpoint):
                return

    def resume(self, user_id: str, endpoint: Endpoint, job_id: str, wait: float) -> dict[str, Any]:
        """Continue to wait for a job, and return its state in the form of `public_state`.

        The job is polled at once, then as in `watch`. Raises `NotFound` and the errors of
        `public_state`.
        """
        row = self._find_own(user_id, job_id)
        if row.state == "running":
            self._try(row, endpoint)
        self.watch(row, endpoint, wait)
        return self.public_state(row)

    def _try(self, row: IntegrationJob, endpoint: Endpoint) -> bool:
        """Poll a job. Return False on an error, as the caller needs the job's id to poll again."""
        try:
            self._poll(row, endpoint)
        except ServiceError:
            return False
        except SQLAlchemyError as error:
            db.session.rollback()
            log.warning("job not polled", job=row.job_id, error=type(error).__name__)
            return False
        return True

    def _sleep(self, seconds: float) -> bool:
        """Sleep. Return False if there was no time left or the worker is ending."""
        ends = time.monotonic() + seconds
        while not self._is_ending() and (left := ends - time.monotonic()) > 0:
            gevent.sleep(min(left, NAP))
        return seconds > 0 and not self._is_ending()

    def answer(self, user_id: str, job_id: str, catalog: Catalog, browser: str | None) -> Answer:
        """Return the state of one of the user's own jobs. A running job is polled.

        If polling needs a consent, return the OAuth-required payload. After the consent, the job
        can be polled again. Raises `NotFound`, and any other `ServiceError`.
        """
        row = self._find_own(user_id, job_id)
        if row.state == "running":
            endpoint = catalog.named(row.endpoint)
            connection = self._connections.of(endpoint, user_id, browser)
            try:
                self._poll(row, endpoint)
            except (GrantRejected, ScopeMissing):
                if connection is None:
                    raise
                return Answer(connection.payload(), consent=True)
        return Answer(self.public_state(row))

    def _find_own(self, user_id: str, job_id: str) -> IntegrationJob:
        """Return a user's job that was begun here, detached from the session. Raises `NotFound`."""
        row = self.find(user_id, job_id)
        if row is None or row.is_elsewhere:
            raise NotFound()
        db.session.expunge(row)  # only `_end` writes the row
        return row

    def find(self, user_id: str, job_id: str) -> IntegrationJob | None:
        row = db.session.scalar(select(IntegrationJob).filter_by(job_id=job_id, user_id=user_id))
        db.session.commit()
        return row

    def adopt(self, user_id: str, endpoint: Endpoint, task: Task) -> None:
        """Store to whom a job at another instance belongs: there all jobs are the owner's."""
        if self.find(user_id, task.id) is None:
            with write_transaction() as session:
                if user_locks.lock_row(session, user_id):  # or an erased user would get a row
                    job_rows.store(session, self._new(user_id, endpoint, task.id, task), None, 0)
        elif task.state != "running":  # a repetition gets the stored answer there
            self.end_elsewhere(user_id, task.id, None)

    def end_elsewhere(self, user_id: str, job_id: str, error: str | None) -> None:
        """Store how a job at another instance has ended: with an error, or None."""
        with write_transaction() as session:
            if user_locks.lock_row(session, user_id):
                job_rows.end_elsewhere(session, user_id, job_id, "failed" if error else "done")
                self._rows.end_job(session, user_id, job_id, error, 0)

    def check_own(self, user_id: str, endpoint: Endpoint, params: Mapping[str, Any]) -> None:
        """Raise `InvalidRequest` if parameters continue a task that is not the user's: all users'
        tasks run under the operator's one account, and their ids are not secret."""
        name = endpoint.continues
        if name is None or params.get(name) is None:
            return
        if not job_rows.has_task(db.session(), user_id, endpoint.name, params[name]):
            raise InvalidRequest(details={name: ["You have no such job."]})

    def _poll(self, row: IntegrationJob, endpoint: Endpoint) -> None:
        """Poll a job once, and store its end. Raises `ServiceError`.

        A job whose time is over may still be done, and is paid for. In any other state it counts as
        out of time, because another poll may have cancelled it meanwhile.
        """
        facts = self._unseal(row)  # first, because a job can't be ended without them
        with self._make_media(endpoint, row.user_id) as media:
            task = self._polls.poll(row, endpoint, media)
            if task.state != "done" and job_rows.is_out_of_time(db.session(), row.job_id):
                task = self._polls.give_up(row, endpoint, media, task)
            task = replace(task, facts=facts)
            if task.state != "running" and self._end(row, endpoint, task):
                media.confirm()

    def _end(self, row: IntegrationJob, endpoint: Endpoint, task: Task) -> bool:
        """Store a job's result, and refund the difference if it cost less than was charged.

        Returns False if another poll was first; the row then has the result of that poll. If
        storing fails, the row stays unchanged.
        """
        end = JobEnd(task.state, self._seal(row, task), _job(endpoint).cost(task))
        with write_transaction() as session:
            user_locks.lock(session, row.user_id)  # or an erased user would get rows
            refund = job_rows.end(session, row, end)
            if refund is None:
                end = job_rows.load(session, row.job_id) or end
            else:
                error = error_of(task) if task.state == "failed" else None
                self._rows.end_job(session, row.user_id, row.job_id, error, refund)
        row.state, row.result = end.state, end.result
        return refund is not None

    def _seal(self, row: IntegrationJob, task: Task) -> str | None:
        if task.state == "running" and not task.outcome:
            return None
        return self._sealer.seal(encode(task.outcome), places.job(row.job_id))

    def _unseal(self, row: IntegrationJob) -> Any:
        """Return the stored data of a job's task: facts while it runs, then its result.

        Raises `NotOpened`.
        """
        if not row.result:
            return {}
        return json.loads(unseal(self._sealer, row.result, places.job(row.job_id)))

    def public_state(self, row: IntegrationJob) -> dict[str, Any]:
        """Return a job as its owner sees it.

        Raises `NotOpened`, and `UpstreamFailed` or `UpstreamTimedOut` if the job failed. Their fact
        `jobStatus` distinguishes them from the error of a poll.
        """
        state: dict[str, Any] = {"jobId": row.job_id, "status": row.state}
        if row.state == "running":
            return {**state, **self._unseal(row)}
        state["result"] = self._unseal(row)
        if row.state != "failed":
            return state
        if state["result"] == OUT_OF_TIME:
            raise UpstreamTimedOut(jobStatus=row.state)
        why = Task("", "failed", state["result"]).failure_reason
        raise UpstreamFailed(why, upstreamStatus=None, jobStatus=row.state)


def _job(endpoint: Endpoint) -> Job:
    assert endpoint.job, endpoint.name
    return endpoint.job
