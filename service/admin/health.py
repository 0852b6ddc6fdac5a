"""The health of the integrations: configuration, payers, breakers and calls."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flask import current_app
from sqlalchemy import select

from service.admin import calls
from service.app_keys import APP_SETTINGS
from service.extensions import db
from service.integrations.calling.breaker import FAILURES, IS_OPEN
from service.integrations.calling.proxy import PROXY, Proxy
from service.integrations.consent.health import counts
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.vendor import Vendor
from service.integrations.models import Breaker
from service.times import timestamp

NO_GRANTS = {"connected": 0, "failing": 0}


def integrations(hours: int) -> list[dict[str, Any]]:
    """Return each integration with its vendors and its calls of the last hours; by name."""
    proxy = PROXY.of(current_app)
    breakers, made = _breakers(), calls.by_integration(hours)
    grants = counts(db.session())
    by_name: dict[str, list[Endpoint]] = {}
    for endpoint in proxy.catalog:
        by_name.setdefault(endpoint.vendor.integration, []).append(endpoint)
    return [
        {
            "integration": name,
            "payer": proxy.charging.paid_by(endpoints[0]),
            "endpoints": len(endpoints),
            "configured": sum(map(proxy.is_configured, endpoints)),
            "vendors": _vendors(endpoints, proxy),
            "breaker": breakers.get(name, {"state": "closed", "failures": 0, "openUntil": None}),
            "calls": made.get(name, calls.NO_CALLS),
            "grants": grants.get(name, NO_GRANTS),
        }
        for name, endpoints in sorted(by_name.items())
    ]


def _vendors(endpoints: Sequence[Endpoint], proxy: Proxy) -> list[dict[str, Any]]:
    """Return the vendors of an integration, with the setting that each or its endpoints lack.

    If another instance makes the calls, no setting is missing. `standIn` is true where the sandbox
    has redirected the vendor.
    """
    used = proxy.calls.settings
    configured = APP_SETTINGS.of(current_app).vendors
    vendors = {endpoint.vendor.name: endpoint.vendor for endpoint in endpoints}
    return [
        {
            "name": vendor.name,
            "missing": None if proxy.gateway else _missing(vendor, endpoints, proxy),
            "standIn": _addresses(vendor, used) != _addresses(vendor, configured),
        }
        for vendor in vendors.values()
    ]


def _missing(vendor: Vendor, endpoints: Iterable[Endpoint], proxy: Proxy) -> str | None:
    mine = (proxy.missing(one) for one in endpoints if one.vendor.name == vendor.name)
    return vendor.missing(proxy.calls.settings) or next(filter(None, mine), None)


def _addresses(vendor: Vendor, settings: Mapping[str, str]) -> list[str | None]:
    return [settings.get(base.name) for base in vendor.bases]


def _breakers() -> dict[str, dict[str, Any]]:
    """Return the breakers that have counted failures since the last success."""
    rows = db.session.execute(select(Breaker, IS_OPEN))
    return {row.integration: _state(row, bool(is_open)) for row, is_open in rows if row.failures}


def _state(breaker: Breaker, is_open: bool) -> dict[str, Any]:
    """Return a breaker's state. In `trial` the next call tries whether the vendor answers again."""
    tripped = breaker.failures >= FAILURES
    until = breaker.open_until
    return {
        "state": "open" if is_open else "trial" if tripped else "closed",
        "failures": breaker.failures,
        "openUntil": timestamp(until) if is_open and until else None,
    }
