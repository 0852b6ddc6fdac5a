"""Check the parameters of a call, and describe a call that may be made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError

from service.integrations.calling.call_log import LoggedCall
from service.integrations.consent.connections import Connection
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.task import LONGEST_WAIT
from service.integrations.inbound import Inbound
from service.web.edge import load
from service.web.errors import InvalidRequest
from service.web.fields import JsonNumber


@dataclass(frozen=True)
class Admitted:
    """A call that may be made: its grant suffices, and its parameters are valid.

    `wait` is how many seconds the call may be held open for a job.
    """

    endpoint: Endpoint
    request: Inbound
    params: dict[str, Any]
    wait: float
    connection: Connection | None
    logged: LoggedCall

    @property
    def user_id(self) -> str:
        return self.request.caller.subject


def validate_parameters(
    endpoint: Endpoint, body: Mapping[str, Any]
) -> tuple[dict[str, Any], float]:
    """Return the parameters, and how many seconds the call may be held open for a job.

    Raises `ServiceError`.
    """
    values, wait = dict(body), 0.0
    if endpoint.job:
        wait = _seconds(values.pop("wait", endpoint.job.wait))
    return load(endpoint.parameters, values), wait


def _seconds(value: Any) -> float:
    try:
        wait: float = JsonNumber().deserialize(value)
    except ValidationError:
        wait = -1.0
    if not 0 <= wait <= LONGEST_WAIT:
        raise InvalidRequest(
            details={"wait": [f"Must be a number of seconds from 0 to {LONGEST_WAIT}."]}
        )
    return wait
