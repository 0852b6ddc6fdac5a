"""Jobs at the other instance of a gateway: their users and their outcomes."""

from collections.abc import Callable
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from service.extensions import db
from service.integrations.calling.call_log import error_elsewhere, job_elsewhere
from service.integrations.calling.jobs import Jobs
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.task import Task
from service.integrations.inbound import ProxyResponse
from service.integrations.models import IntegrationJob
from service.web.errors import UpstreamFailed

StoreLater = Callable[[str, Callable[[], None]], bool]  # a method of `LeaseRenewal`

log = structlog.get_logger("integrations")


class JobsElsewhere:
    """The jobs at the other instance. Every method needs an app context."""

    def __init__(self, jobs: Jobs, store_later: StoreLater) -> None:
        self._jobs, self._store_later = jobs, store_later

    def find(self, user_id: str, job_id: str) -> IntegrationJob | None:
        return self._jobs.find(user_id, job_id)

    def adopt(self, user_id: str, endpoint: Endpoint, result: ProxyResponse) -> None:
        """Store to whom the job in an answer belongs, if there is a job.

        The owner pays for it. So during an outage the caller gets the job's id nevertheless, and
        can ask for the job when the database is available again.
        """
        job_id = job_elsewhere(result.data) if endpoint.job else None
        if job_id is None:
            return
        is_running = result.data.get("status") == "running"
        task = Task(job_id, "running" if is_running else "done")
        self._store(job_id, partial(self._jobs.adopt, user_id, endpoint, task))

    def note_end(self, user_id: str, job_id: str, result: ProxyResponse) -> None:
        """Store that the job has ended, if an answer says so.

        An error without `jobStatus` says nothing about the job, because polling it failed. During
        an outage, the answer is given nevertheless.
        """
        data, envelope = result.data, result.envelope
        if result.status == 200 and isinstance(data, dict) and data.get("status") == "done":
            error = None
        elif result.status >= 500 and envelope.get("jobStatus") == "failed":
            error = error_elsewhere(envelope.get("error"), UpstreamFailed.code)
        else:
            return
        self._store(job_id, partial(self._jobs.end_elsewhere, user_id, job_id, error))

    def _store(self, job_id: str, write: Callable[[], None]) -> None:
        """Write now or after an outage. Raises SQLAlchemyError if too many writes wait already."""
        try:
            write()
        except SQLAlchemyError as error:
            db.session.rollback()
            log.warning("not stored yet", job_id=job_id, error=type(error).__name__)
            if not self._store_later(job_id, write):
                raise
