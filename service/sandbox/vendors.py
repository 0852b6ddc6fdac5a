"""Stand-ins for the integrations' vendors, which answer with the examples of endpoints."""

from collections.abc import Mapping
from typing import Any

import structlog
from flask import Blueprint, Response, jsonify, request

from service.integrations.declare.catalog import Catalog
from service.sandbox.matching import Rules, VendorRequest
from service.sandbox.suite.client import Clients

KEY = "sandbox-key-that-opens-nothing"
PREFIX = "/vendors"
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

log = structlog.get_logger("sandbox")


def redirect_vendors(
    catalog: Catalog, settings: Mapping[str, str], base: str, clients: Clients
) -> dict[str, str]:
    """Return the vendors' settings. Vendors without a key and URL get those of the stand-ins."""
    changed = dict(settings)
    for vendor in catalog.vendors:
        possible = [one for one in vendor.all_settings if one not in vendor.settings]
        own = {one.name for one in possible if one.kind != "scope-names"}  # keys and URLs
        if own & settings.keys():
            continue
        for number, setting in enumerate(vendor.bases):
            changed[setting.name] = f"{base}{PREFIX}/{vendor.name}/{number}"
        changed |= {setting.name: KEY for setting in vendor.credential.settings}
        needed = (one for one in vendor.all_settings if one.name not in settings)
        changed |= {one.name: one.sandbox for one in needed if one.sandbox}
        if vendor.oauth:
            changed |= clients.of(vendor.integration).settings(base)
    return changed


def blueprint(catalog: Catalog) -> Blueprint:
    """Return the routes `/vendors/<vendor>/<number of base URL>/<path>`, which give examples.

    Raises ValueError for examples that contradict each other.
    """
    rules = Rules(catalog)
    bases = {
        (vendor.name, number): setting.name
        for vendor in catalog.vendors
        for number, setting in enumerate(vendor.bases)
    }
    vendors = Blueprint("vendors", __name__, url_prefix=PREFIX)

    @vendors.route("/<vendor>/<int:base>", defaults={"path": ""}, methods=METHODS)
    @vendors.route("/<vendor>/<int:base>/<path:path>", methods=METHODS)
    def answer(vendor: str, base: int, path: str) -> Response | tuple[Response, int]:
        received = _query(bases.get((vendor, base), ""), path)
        exchange = rules.find(received)
        if exchange is None:
            # The caller sees only a vendor's 404. The author of an endpoint needs this log line.
            log.warning("no example", vendor=vendor, asked=f"{received.method} {received.path}")
            return jsonify(error="the sandbox has no example for this"), 404
        content, media_type = exchange.content
        headers = {"Content-Type": media_type, **exchange.headers}
        return Response(content, exchange.status, headers)

    return vendors


def _query(base: str, path: str) -> VendorRequest:
    """Return the current request."""
    return VendorRequest(
        base=base,
        method=request.method,
        path=_raw(path),
        query=request.args.to_dict(flat=False),
        form=request.form.to_dict(flat=False),
        json=request.get_json(silent=True),
    )


def _raw(path: str) -> str:
    """Return the path as it was sent, if the server knows it. A piece may have a quoted slash."""
    line: Any = request.environ.get("REQUEST_URI", "")
    pieces = line.partition("?")[0].split("/")
    return "/" + "/".join(pieces[4:]) if len(pieces) > 4 else f"/{path}" if path else ""
