"""Requests about a running task at its vendor: for its state, and to cancel it.

Source: docs/contract.md, sections 9.7 and 10.7.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import structlog

from service.integrations.calling.call import Call
from service.integrations.calling.call_media import CallMedia
from service.integrations.calling.sending import telling_status
from service.integrations.consent.connections import Connections
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.faults import GrantRejected, ScopeMissing
from service.integrations.declare.task import Task
from service.integrations.models import IntegrationJob
from service.web.errors import ServiceError, UpstreamFailed, UpstreamTimedOut

MakeCall = Callable[[Endpoint, str, str | None, CallMedia], Call]  # for a user's id and token
T = TypeVar("T")
OUT_OF_TIME = {"error": UpstreamTimedOut.code}

log = structlog.get_logger("integrations")


class TaskPolls:
    """Makes requests about tasks. Every method needs an app context."""

    def __init__(self, connections: Connections, make_call: MakeCall) -> None:
        self._connections, self._make_call = connections, make_call

    def poll(self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia) -> Task:
        """Ask the vendor for a job's task.

        Raises `ServiceError`: `GrantRejected` or `ScopeMissing` if a consent is needed.
        """
        return self._ask(row, endpoint, media, endpoint.poll)

    def give_up(
        self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia, task: Task
    ) -> Task:
        """Return the end of a task that was not done in time, with its cost if that is known.

        The task may be done by now.
        """
        if task.state == "running":
            task = self._stop(row, endpoint, media)
        return task if task.state == "done" else replace(task, state="failed", result=OUT_OF_TIME)

    def _stop(self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia) -> Task:
        """Cancel a task, if the vendor supports that, and return its state afterwards.

        The cost of a task that still runs counts only if the task was cancelled and the cost is a
        running total. Any other cost is not the amount that the vendor will bill.
        """
        is_cancelled = self._is_cancelled(row, endpoint, media)
        if is_cancelled is None:
            return Task(row.task_id)
        try:
            task = self.poll(row, endpoint, media)
        except ServiceError:
            return Task(row.task_id)
        is_total = is_cancelled and endpoint.job is not None and endpoint.job.totals
        return task if is_total or task.state != "running" else replace(task, dollars=None)

    def _is_cancelled(
        self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia
    ) -> bool | None:
        """Cancel a task. Return whether that succeeded, None if the vendor can't cancel tasks."""
        if not endpoint.job or not endpoint.job.cancel:
            return None
        try:
            self._ask(row, endpoint, media, endpoint.cancel)
        except ServiceError as error:
            log.warning("task not cancelled", job=row.job_id, error=type(error).__name__)
            return False
        return True

    def _ask(
        self,
        row: IntegrationJob,
        endpoint: Endpoint,
        media: CallMedia,
        request: Callable[[Call, str], T],
    ) -> T:
        """Make a request about a job's task, with the user's token if the call had one.

        As in a call, the grant is cleared if the vendor rejects its token. Raises `ServiceError`.
        """
        connection = self._connections.of(endpoint, row.user_id)
        if connection and not connection.is_sufficient:
            raise ScopeMissing()
        try:
            bearer = connection.token() if connection else None
            call = self._make_call(endpoint, row.user_id, bearer, media)
            with telling_status(call.effects):
                return request(call, row.task_id)
        except GrantRejected:
            if connection:
                connection.forget()
            raise


def error_of(task: Task) -> str:
    """Return the error code in the answer to a request for a failed job."""
    return UpstreamTimedOut.code if task.outcome == OUT_OF_TIME else UpstreamFailed.code
