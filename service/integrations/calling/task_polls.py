"""Requests about a running task at its vendor: how it is, and that it be cancelled.

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
    """Every method needs an app context."""

    def __init__(self, connections: Connections, make_call: MakeCall) -> None:
        self._connections, self._make_call = connections, make_call

    def poll(self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia) -> Task:
        """Ask the vendor for a job's task.

        Raises `ServiceError`: `GrantRejected` or `ScopeMissing` where a consent is needed.
        """
        return self._ask(row, endpoint, media, endpoint.poll)

    def give_up(
        self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia, task: Task
    ) -> Task:
        """The end of a task that was not done when its time was over, with its cost if known.

        It may be done by now.
        """
        if task.state == "running":
            task = self._stop(row, endpoint, media)
        return task if task.state == "done" else replace(task, state="failed", result=OUT_OF_TIME)

    def _stop(self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia) -> Task:
        """A task after the request to cancel it, where the vendor takes one.

        The cost of a task that still runs then counts only if it was cancelled and the cost is a
        running total: any other one is not what the vendor will bill.
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
        """Cancel a task; None if the vendor has no request for that."""
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
        """Make a request about a job's task, with the user's token where the call had one.

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
    """The code of the error that asking for a failed job answers with."""
    return UpstreamTimedOut.code if task.outcome == OUT_OF_TIME else UpstreamFailed.code
