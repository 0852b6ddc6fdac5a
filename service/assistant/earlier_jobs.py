"""Wait again for jobs that the calls of an earlier try of the message have started.

The earlier call waited for its job too, and was cut off. Its stored answer only says that the job
is running, and a model has no tool to look at a job. Source: docs/contract.md, section 5.16.
"""

import time
from collections.abc import Mapping
from typing import Any

import gevent

from service.assistant.call_request import refusal
from service.chat.tools.tool import ToolContext
from service.integrations.calling.admission import validate_parameters
from service.integrations.calling.gateway import TokenRefused
from service.integrations.calling.proxy import Proxy
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.task import Job
from service.integrations.inbound import ProxyResponse
from service.web.errors import RateLimited, Unavailable, UpstreamFailed, UpstreamTimedOut

AWAY_STATUSES = (RateLimited.status, Unavailable.status)


def wait_for_job(
    proxy: Proxy,
    item: Endpoint,
    context: ToolContext,
    body: Mapping[str, Any],
    data: Any,
    began: float,
) -> Any:
    """Return an earlier call's answer, or the state of its job after waiting for the job.

    `began` is the monotonic time at which the answer was requested. If the call was repeated, it
    has waited for its job since then. Raises `ServiceError`.
    """
    if not item.job or not _is_running(data):
        return data
    wait = max(validate_parameters(item, body)[1] - (time.monotonic() - began), 0.0)
    if proxy.gateway:
        return _wait_elsewhere(proxy, item.job, context, data, wait)
    return proxy.jobs.resume(context.caller.subject, item, data["jobId"], wait)


def _wait_elsewhere(proxy: Proxy, job: Job, context: ToolContext, data: Any, wait: float) -> Any:
    """Do the same for a job at another instance, which answers at once with its state.

    If the other instance can't be asked at the end, the last known state is returned.
    """
    ends, job_id = time.monotonic() + wait, data["jobId"]
    while True:
        try:
            answer = _state_there(proxy, context, job_id)
        except TokenRefused:
            return data  # every further request would be refused
        if answer and answer.status >= 400:
            raise refusal(answer)
        if answer and answer.is_payload:
            return data  # polling needs a consent, which the model can't give
        data = answer.data if answer else data
        left = ends - time.monotonic()
        if not _is_running(data) or left <= 0:
            return data
        gevent.sleep(min(job.interval, left))


def _state_there(proxy: Proxy, context: ToolContext, job_id: str) -> ProxyResponse | None:
    """Return the answer about a job; None if the other instance can't answer at the moment.

    Raises `TokenRefused`.
    """
    try:
        answer = proxy.job(context.caller, context.token, job_id)
    except TokenRefused:
        raise
    except (UpstreamFailed, UpstreamTimedOut):
        return None
    return None if answer.status in AWAY_STATUSES else answer


def _is_running(data: Any) -> bool:
    return isinstance(data, dict) and data.get("status") == "running"
