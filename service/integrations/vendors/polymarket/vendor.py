"""Polymarket itself, and readers of its numbers and lists."""

import math
from typing import Any

from service.integrations.declare.payload import parse
from service.integrations.declare.setting import base_url
from service.integrations.declare.vendor import Vendor

DOCS = "https://docs.polymarket.com/api-reference"
CLOB = "POLYMARKET_CLOB_BASE_URL"
OUTCOME = "71321045679252212594626385532706912750332728571942532289631379312455583992563"

POLYMARKET = Vendor(
    integration="predmarket",
    name="polymarket",
    bases=(
        base_url("POLYMARKET_GAMMA_BASE_URL", "https://gamma-api.polymarket.com"),
        base_url(CLOB, "https://clob.polymarket.com"),
    ),
)


def number_of(value: Any) -> float | None:
    """Return a number, which may be written as a text, or None for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return number if math.isfinite(number := float(value)) else None
    except (ValueError, OverflowError):
        return None


def items_of(value: Any) -> list[Any]:
    """Return a list, which may be written as a text of JSON, or [] for other values."""
    items = parse(value.encode(errors="replace")) if isinstance(value, str) else value
    return items if isinstance(items, list) else []
