"""Grants that calls of the assistant lack, and whether users have given them since.

Behind a gateway the grants are at the other instance, whose connection status shows them.
Source: docs/contract.md, section 14.4.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from flask import current_app

from service.chat.tools.requirements import NeededGrant
from service.chat.tools.tool import ToolContext
from service.integrations.calling.proxy import Proxy
from service.integrations.declare.endpoint import Endpoint
from service.integrations.inbound import ProxyResponse
from service.limits.concurrency import CONCURRENCY
from service.web.errors import ServiceError, UpstreamFailed

PAUSE_SECONDS = 2.0  # between two requests to another instance
STATUS_SECONDS = 3.0  # for its answer; a tool or the display of a consent waits for it


def check_grants(proxy: Proxy, items: Iterable[Endpoint], context: ToolContext) -> dict[str, bool]:
    """Return whether the user's grants suffice, by endpoint name.

    Only endpoints that need a grant are included. Empty if the other instance does not answer.
    """
    needing = [item for item in items if item.scope]
    if not needing:
        return {}
    if proxy.gateway is None:
        of_each = {
            item.name: proxy.connections.of(item, context.caller.subject) for item in needing
        }
        return {name: bool(found and found.is_sufficient) for name, found in of_each.items()}
    try:
        status = _status_there(proxy, context)
    except ServiceError:
        return {}
    return {item.name: bool(_flags_set(proxy, item, status)) for item in needing}


def missing(proxy: Proxy, item: Endpoint, context: ToolContext) -> NeededGrant | None:
    """Return the grant that the user has to give before the call. A narrow one is enough.

    Behind a gateway it is None, because the other instance reports a missing grant during the call.
    """
    connection = proxy.connections.of(item, context.caller.subject)
    if proxy.gateway or connection is None or connection.is_sufficient:
        return None
    scopes = tuple(proxy.connections.scopes_of(item))
    integration = item.vendor.integration
    return NeededGrant(item.name, integration, scopes, lambda: connection.is_sufficient)


def missing_grant(
    proxy: Proxy, item: Endpoint, context: ToolContext, answer: ProxyResponse
) -> NeededGrant:
    """Return the grant for which a call was answered with the OAuth-required payload."""
    payload = answer.data
    return NeededGrant(
        item.name,
        item.vendor.integration,
        tuple(payload.get("scopes", ())),
        _looks_again(proxy, item, context, answer.refused_consent),
        payload.get("authUrl"),
    )


def _looks_again(
    proxy: Proxy, item: Endpoint, context: ToolContext, refused: datetime | None
) -> Callable[[], bool]:
    """Return a function that returns whether the user has given a grant for the refused call.

    Outside of a chat nobody waits for a grant, so the function always returns False.
    """
    connection = proxy.connections.of(item, context.caller.subject)
    if connection is None or not context.is_in_chat:
        return lambda: False
    if proxy.gateway:
        return _GrantThere(proxy, item, context)
    return partial(connection.opens_all_since, refused)


class _GrantThere:
    """Whether the connection status has a new flag since a call was refused.

    A grant that sets no further flag is not seen. The status is requested once in `PAUSE_SECONDS`.
    The flags of the first status are the old ones.
    """

    def __init__(self, proxy: Proxy, item: Endpoint, context: ToolContext) -> None:
        self._facts = (proxy, item, context)
        self._not_before = 0.0
        self._known: set[str] | None = None
        with suppress(ServiceError):
            self._known = self._flags()

    def __call__(self) -> bool:
        """Return whether there is a new flag. Raises `ServiceError`."""
        if time.monotonic() < self._not_before:
            return False
        self._not_before = time.monotonic() + PAUSE_SECONDS
        flags = self._flags()
        if self._known is None:
            self._known = flags
        return bool(flags - self._known)

    def _flags(self) -> set[str]:
        proxy, item, context = self._facts
        return _flags_set(proxy, item, _status_there(proxy, context))


def _status_there(proxy: Proxy, context: ToolContext) -> Mapping[str, Any]:
    """Return the user's connections at the other instance. Raises `ServiceError`.

    The request counts with those of `GET /api/integrations/status`, which also wait there.
    """
    assert proxy.gateway
    with CONCURRENCY.of(current_app).poll(context.caller.subject):
        answer = proxy.gateway.status_soon(context.caller, context.token, STATUS_SECONDS)
    if answer.status != 200:
        raise UpstreamFailed(upstreamStatus=answer.status)
    return answer.envelope


def _flags_set(proxy: Proxy, item: Endpoint, status: Mapping[str, Any]) -> set[str]:
    """Return the flags of a grant for the endpoint that are set in a status."""
    flags = proxy.connections.scopes(item.vendor.integration).flags_of(item)
    of_integration = status.get(item.vendor.integration, {})
    return {flag for flag in flags if of_integration.get(flag) is True}
