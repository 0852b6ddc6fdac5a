"""Describe an endpoint in the catalog that clients get."""

from dataclasses import asdict
from typing import Any

from service.integrations.calling.proxy import Proxy
from service.integrations.declare.endpoint import Endpoint


def describe(proxy: Proxy, item: Endpoint) -> dict[str, Any]:
    return {
        "name": item.name,
        "aliases": list(item.aliases),
        "category": item.category,
        "summary": item.summary,
        "methods": ["POST", "GET"] if item.access.gets else ["POST"],
        "integration": item.vendor.integration,
        "billing": proxy.charging.billing(item),
        "credits": item.max_credits,
        "metered": item.is_metered,
        "creditConsuming": item.max_credits > 0,
        "autoApprove": item.access.auto_approve,
        "cache": item.cache and asdict(item.cache),
        "perUser": item.per_user and asdict(item.per_user),
        "bodyLimit": item.body_limit,
        "async": item.job is not None,
        "scopes": proxy.connections.scopes_of(item),
        "flag": _flag(proxy, item),
        "configured": proxy.is_configured(item),
        "docs": item.docs,
        "says": item.says and asdict(item.says),
    }


def _flag(proxy: Proxy, item: Endpoint) -> str | None:
    """Return the flag of the connection status that a consent for an endpoint sets, or None."""
    if not item.scope:
        return None
    return proxy.connections.scopes(item.vendor.integration).flag_of(item)
