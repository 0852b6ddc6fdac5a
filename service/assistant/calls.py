"""`integrations.call`, and the endpoints that are tools of their own.

A call by the assistant is a call by its user: the same proxy checks it, and the same payer pays.
Source: docs/contract.md, section 14.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from flask import current_app
from marshmallow import Schema, fields, validate

from service.assistant import earlier_jobs, grants, repeated_calls
from service.assistant.call_request import CALL, ask
from service.assistant.find import find
from service.assistant.shaping import shape
from service.auth import permits
from service.billing.units import count_credits, to_credits
from service.chat.tools.requirements import GrantMissing, NeededApproval, Needs
from service.chat.tools.tool import Tool, ToolContext
from service.integrations.calling.admission import validate_parameters
from service.integrations.calling.proxy import PROXY, Proxy
from service.integrations.calling.time_limit import call_seconds
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.documents import body_schema
from service.integrations.inbound import ProxyResponse
from service.providers.prompt import ToolSpec
from service.web.errors import Forbidden, ServiceError, UnknownEndpoint
from service.web.fields import Text

MOST_TOOLS = 40
ALL_ENDPOINTS = "all"
SEARCH = "integrations.find tells which there are."
NOT_CONFIGURED = f"{{}} can't be used on this server: {{}} is not set. {SEARCH}"


class EndpointCall(Schema):
    endpoint = Text(
        required=True,
        validate=validate.Length(1, 128),
        metadata={"description": "An endpoint's name, as integrations.find gives it."},
    )
    body = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "Its parameters, which fit the schema of integrations.find."},
    )


class AnyBody(Schema):
    class Meta:
        unknown = "include"


@dataclass(frozen=True)
class EndpointTool(Tool):
    """A tool whose input is the body of one endpoint."""

    endpoint: Endpoint | None = None

    @cached_property
    def spec(self) -> ToolSpec:
        assert self.endpoint
        return ToolSpec(self.name, self.description, body_schema(self.endpoint))


def needs(context: ToolContext, endpoint: str, body: Mapping[str, Any]) -> Needs:
    """Return what a call needs: a grant, an approval, time.

    Raises `ServiceError` if it can't be made.
    """
    proxy = _proxy()
    item = _find_endpoint(proxy.catalog, endpoint)
    permits.check_endpoint(context.caller.permit, item.name)
    earlier = repeated_calls.find(proxy, item, context, body)
    leaves = not (earlier and earlier.is_final)
    if leaves and (missing := proxy.missing(item)):
        raise ServiceError(NOT_CONFIGURED.format(item.name, missing))
    params, wait = validate_parameters(item, body)
    if leaves:
        proxy.check_allowed(item, params)
    seconds = call_seconds(item) + wait  # the wait begins when the job has begun
    grant = grants.missing(proxy, item, context)
    if item.access.auto_approve or not leaves:
        return Needs(grant, seconds=seconds)
    return Needs(grant, _approval(proxy, context, item, params, body), seconds)


def _approval(
    proxy: Proxy,
    context: ToolContext,
    item: Endpoint,
    params: Mapping[str, Any],
    body: Mapping[str, Any],
) -> NeededApproval:
    most, charging = item.most(params), proxy.charging
    given: dict[str, Any] = {"paid_by": charging.paid_by(item)}
    if most and not proxy.gateway:  # another instance knows its own accounts
        given["check"] = partial(charging.check_affordable, item, context.caller, most)
    return NeededApproval(item.name, item.summary, body, to_credits(most), **given)


def call(context: ToolContext, endpoint: str, body: Mapping[str, Any]) -> Any:
    """Call an endpoint that integrations.find has found. The user sees the body, and is asked first
    if it costs credits or changes something outside."""
    proxy = _proxy()
    item = proxy.catalog.named(endpoint)
    earlier = repeated_calls.find(proxy, item, context, body)
    approval = "auto" if item.access.auto_approve else context.approval
    is_made = not (earlier and earlier.is_final)
    if is_made and approval is None and context.door == "chat":
        raise Forbidden("The user has not allowed this call.")

    def answer() -> Any:
        return _data(proxy, item, context, ask(proxy, item, context, body, approval, earlier))

    if earlier is None:
        return shape(answer())
    began = time.monotonic()
    data = repeated_calls.give(context, earlier, answer)
    if earlier.is_final or proxy.gateway:  # else the repeated call has waited for it
        data = earlier_jobs.wait_for_job(proxy, item, context, body, data, began)
    return shape(data)


def _data(proxy: Proxy, item: Endpoint, context: ToolContext, answer: ProxyResponse) -> Any:
    """Return an answer's data for the model. Raises `GrantMissing`."""
    if answer.is_payload:
        raise GrantMissing(grants.missing_grant(proxy, item, context, answer))
    return answer.data


def _find_endpoint(catalog: Catalog, name: str) -> Endpoint:
    """Return the endpoint of this name.

    Raises `UnknownEndpoint`, which tells the model how to find the names.
    """
    try:
        return catalog.named(name)
    except UnknownEndpoint as error:
        raise UnknownEndpoint(error.nearest, f"{error.message} {SEARCH}") from None


def _proxy() -> Proxy:
    return PROXY.of(current_app)


def tools(catalog: Catalog, names: Iterable[str]) -> list[Tool]:
    """Return the two tools for the whole catalog, and one tool for each endpoint in `names`.

    `names` are endpoints or categories. Raises ValueError for an unknown name, and for more than
    `MOST_TOOLS` endpoints.
    """
    described = " ".join((call.__doc__ or "").split())
    reads_if = partial(_is_read_only, catalog)
    own = Tool(CALL, described, EndpointCall(), call, reads=False, needs=needs, reads_if=reads_if)
    return [find, own, *(_make_tool(item) for item in find_endpoints(catalog, names))]


def _is_read_only(catalog: Catalog, endpoint: str, body: Mapping[str, Any]) -> bool:
    """Return whether `integrations.call` changes nothing outside with this endpoint."""
    item = catalog.names.get(endpoint)
    return item is not None and item.access.reads


def find_endpoints(catalog: Catalog, names: Iterable[str]) -> list[Endpoint]:
    """Return the endpoints that `ASSISTANT_ENDPOINTS` names. Raises ValueError."""
    found: dict[str, Endpoint] = {}
    for name in names:
        of_name = [item for item in catalog if name in (ALL_ENDPOINTS, item.category, *item.names)]
        if not of_name:
            raise ValueError(f"{name} is neither an endpoint nor a category")
        found.update((item.name, item) for item in of_name)
    if len(found) > MOST_TOOLS:
        raise ValueError(
            f"names {len(found)} endpoints; a model takes {MOST_TOOLS} at most. The tools "
            f"{find.name} and {CALL} reach every endpoint without it"
        )
    return list(found.values())


def _make_tool(item: Endpoint) -> Tool:
    asks = "The user is not asked." if item.access.auto_approve else "The user is asked first."
    price = f"It costs up to {count_credits(item.max_credits)}. " if item.max_credits else ""
    return EndpointTool(
        name=item.name.replace("/", "."),
        description=f"{item.summary} {price}{asks}",
        schema=AnyBody(),
        execute=_bound(call, item.name),
        reads=item.access.reads,
        needs=_bound(needs, item.name),
        endpoint=item,
    )


def _bound(function: Callable[..., Any], endpoint: str) -> Callable[..., Any]:
    def add_body(context: ToolContext, **body: Any) -> Any:
        return function(context, endpoint, body)

    return add_body
