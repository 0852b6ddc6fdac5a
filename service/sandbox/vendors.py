"""Stand-ins for the integrations' vendors: each answers with the example its endpoint declares."""

import copy
import re
from collections.abc import Iterator, Mapping

from flask import Blueprint, Response, jsonify, request

from service.integrations.catalog import Catalog, Vendor
from service.sandbox.suite.client import Client

KEY = "sandbox-key"


def redirected(
    catalog: Catalog, settings: Mapping[str, str], base: str, suite: Client
) -> dict[str, str]:
    """The vendors' settings, with those that have no key and no URL of their own pointed at us."""
    changed = dict(settings)
    for vendor in catalog.vendors:
        own = {*vendor.base_urls, *([vendor.key.setting] if vendor.key else [])}
        if vendor.oauth or own & settings.keys():
            continue
        for number, setting in enumerate(vendor.base_urls):
            changed[setting] = f"{base}/vendors/{vendor.name}/{number}"
        if vendor.key:
            changed[vendor.key.setting] = KEY
    if not any(name.startswith("CLOUDSUITE_") for name in settings):
        changed |= suite.settings(base)
    return changed


def blueprint(catalog: Catalog) -> Blueprint:
    """`/vendors/<vendor>/<which base URL>/<path>`: the example declared for that path."""
    answers = {vendor.name: list(_answers(catalog, vendor)) for vendor in catalog.vendors}
    vendors = Blueprint("vendors", __name__, url_prefix="/vendors")

    @vendors.route("/<vendor>/<int:base>/<path:path>", methods=["GET", "POST"])
    def answer(vendor: str, base: int, path: str) -> Response | tuple[Response, int]:
        for method, pattern, body in answers.get(vendor, []):
            if method == request.method and pattern.fullmatch(f"/{path}"):
                return jsonify(copy.deepcopy(body))
        return jsonify(error="the sandbox has no example for this"), 404

    return vendors


def _answers(catalog: Catalog, vendor: Vendor) -> Iterator[tuple[str, re.Pattern[str], object]]:
    for endpoint in catalog:
        if endpoint.vendor.name == vendor.name:
            for example in endpoint.examples:
                pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(example.path))
                yield example.method, re.compile(pattern), example.body
