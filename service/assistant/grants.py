"""Grants that calls of the assistant miss, and whether they have come since.

Source: docs/contract.md, section 14.4.
"""

from functools import partial

from service.chat.tools.needs import NeededGrant
from service.chat.tools.tool import ToolContext
from service.integrations.calling.proxy import Proxy
from service.integrations.declare.endpoint import Endpoint
from service.integrations.inbound import ProxyResponse


def missing(proxy: Proxy, item: Endpoint, context: ToolContext) -> NeededGrant | None:
    """The grant that a call misses before it is made. A narrow one is enough.

    Of another instance nothing is known at that time.
    """
    connection = proxy.connections.of(item, context.caller.subject)
    if proxy.gateway or connection is None or connection.is_sufficient:
        return None
    scopes = tuple(proxy.connections.scopes_of(item))
    integration = item.vendor.integration
    return NeededGrant(item.name, integration, scopes, lambda: connection.is_sufficient)


def refused(
    proxy: Proxy, item: Endpoint, context: ToolContext, answer: ProxyResponse
) -> NeededGrant:
    """The grant for which a call was answered with the OAuth-required payload."""
    connection = proxy.connections.of(item, context.caller.subject)
    is_granted = partial(connection.opens_all_since, answer.refused_grant) if connection else _never
    scopes = tuple(answer.data.get("scopes", ()))
    return NeededGrant(item.name, item.vendor.integration, scopes, is_granted)


def _never() -> bool:
    return False
