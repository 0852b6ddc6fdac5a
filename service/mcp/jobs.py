"""Slow calls: the wait for one is short, and a tool looks at its job later.

Clients give up after a minute, and progress does not make all of them wait longer.
"""

from collections.abc import Mapping
from typing import Any

from flask import current_app
from marshmallow import Schema, validate

from service.assistant.call_request import CALL
from service.assistant.calls import EndpointTool
from service.assistant.shaping import shape
from service.chat.tools.tool import Tool, ToolContext, tool
from service.integrations.calling.proxy import PROXY
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.web.errors import Conflict
from service.web.fields import Text

LONGEST_WAIT = 40  # seconds for a job's result; the call before it takes a few seconds
POLL_SECONDS = 5
STILL_RUNNING = f"It is still running: ask integrations_job for it in {POLL_SECONDS} seconds."
RECONNECT = "The account is no longer connected. Call the endpoint again to connect it."


class JobName(Schema):
    jobId = Text(required=True, validate=validate.Length(1, 64))


@tool("integrations.job", JobName(), reads=True)
def look(context: ToolContext, jobId: str) -> Any:  # noqa: N803 - the name is the contract's
    """Look at a slow call that was answered with a jobId: its status, and its result once it is
    done."""
    answer = PROXY.of(current_app).job(context.caller, context.token, jobId)
    if answer.is_payload:
        raise Conflict(RECONNECT)
    return shape(answer.data)


def endpoint_of(used: Tool, arguments: Mapping[str, Any], catalog: Catalog) -> Endpoint | None:
    """Return the endpoint that is called; None for other tools and unknown names."""
    if isinstance(used, EndpointTool):
        return used.endpoint
    name = arguments.get("endpoint") if used.name == CALL else None
    return catalog.names.get(name) if isinstance(name, str) else None


def with_short_wait(
    used: Tool, arguments: dict[str, Any], endpoint: Endpoint | None
) -> dict[str, Any]:
    """Return the arguments of a call, with a `wait` that ends before clients give up."""
    if endpoint is None or endpoint.job is None:
        return arguments
    body = arguments if isinstance(used, EndpointTool) else arguments.get("body", {})
    wait = body.get("wait", endpoint.job.wait) if isinstance(body, dict) else None
    if not isinstance(wait, int | float) or wait <= LONGEST_WAIT:
        return arguments
    shorter = {**body, "wait": LONGEST_WAIT}
    return shorter if isinstance(used, EndpointTool) else {**arguments, "body": shorter}


def is_running(output: Any) -> bool:
    return isinstance(output, dict) and "jobId" in output and output.get("status") == "running"
