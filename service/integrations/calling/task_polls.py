"""Requests about a running task at its vendor: how it is, and that it be cancelled.

Source: docs/contract.md, sections 9.7 and 10.7.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import structlog

from service.integrations.calling.call import Call
from service.integrations.calling.call_media import CallMedia
from service.integrations.consent.connections import Connections
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.faults import GrantRejected, ScopeMissing
from service.integrations.declare.task import Task
from service.integrations.models import IntegrationJob
from service.web.errors import ServiceError, UpstreamTimedOut

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

    def give_up(self, row: IntegrationJob, endpoint: Endpoint, media: CallMedia) -> Task:
        """The end of a task that still runs when its time is over, with the cost that is reported.

        The task is cancelled where the vendor takes that. It may have been done just before.
        Without a cancellation the cost stays unknown, because the vendor goes on with the task.
        """
        is_cancelled = self._is_cancelled(row, endpoint, media)
        if is_cancelled is None:
            return Task(row.task_id, "failed", OUT_OF_TIME)
        try:
            task = self.poll(row, endpoint, media)
        except ServiceError:
            task = Task(row.task_id)
        if task.state == "done":
            return task
        is_over = is_cancelled or task.state == "failed"
        dollars = task.dollars if is_over else None
        return replace(task, state="failed", result=OUT_OF_TIME, dollars=dollars)

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
            return request(self._make_call(endpoint, row.user_id, bearer, media), row.task_id)
        except GrantRejected:
            if connection:
                connection.forget()
            raise
