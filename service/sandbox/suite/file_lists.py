"""Select and sort files: Drive's search, as far as our own requests use it."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from service.sandbox.suite.models import SuiteFile
from service.sandbox.suite.routes import ApiError

OURS = "application/vnd.google-apps."
FOLDER = f"{OURS}folder"
TERM = re.compile(
    r"(?:(trashed) = (true|false)"
    r"|(name|fullText) contains '((?:[^'\\]|\\.)*)'"
    r"|(mimeType) = '((?:[^'\\]|\\.)*)'"
    r"|'((?:[^'\\]|\\.)*)' in (?P<parents>parents))(?: and |\Z)"
)
ORDERS: dict[str, Callable[[SuiteFile], Any]] = {
    "createdTime": lambda file: file.created_at,
    "folder": lambda file: file.mime_type != FOLDER,
    "modifiedByMeTime": lambda file: file.modified_at,
    "modifiedTime": lambda file: file.modified_at,
    "name": lambda file: file.name.lower(),
    "name_natural": lambda file: _natural(file.name.lower()),
    "quotaBytesUsed": lambda file: len(file.content or b""),
    "recency": lambda file: file.modified_at,
    "sharedWithMeTime": lambda file: 0,  # no file here is shared, starred or viewed
    "starred": lambda file: 0,
    "viewedByMeTime": lambda file: 0,
}


def list_matching(files: Iterable[SuiteFile], query: str, orders: str) -> list[SuiteFile]:
    """Return the files that fit a query, in the requested order. Raises `ApiError`."""
    terms = _terms(query)
    found = [file for file in files if all(_fits(file, *term) for term in terms)]
    if orders and any(term[0] == "fullText" for term in terms):
        raise ApiError(
            403, "forbidden", "Sorting is not supported for queries with fullText terms."
        )
    for order in reversed(orders.split(",") if orders else []):
        key, _, direction = order.strip().partition(" ")
        if key not in ORDERS or direction not in ("", "desc"):
            raise ApiError(400, "invalid", f"Invalid sort key {order}")
        found.sort(key=ORDERS[key], reverse=direction == "desc")
    return found


def _natural(name: str) -> list[str]:
    """Return a sort key of texts and padded numbers, so that 2 comes before 12."""
    pieces = re.split(r"(\d+)", name)
    return [piece.zfill(20) if piece.isdigit() else piece for piece in pieces]


def _terms(query: str) -> list[tuple[str, str]]:
    terms, at = [], 0
    while at < len(query):
        found = TERM.match(query, at)
        if found is None:
            raise ApiError(400, "invalid", "Invalid Value")
        one = [piece for piece in found.groups() if piece is not None]
        key, value = reversed(one) if found["parents"] else one
        terms.append((key, re.sub(r"\\(.)", r"\1", value)))
        at = found.end()
    return terms


def _fits(file: SuiteFile, key: str, value: str) -> bool:
    match key:
        case "trashed":
            return file.trashed == (value == "true")
        case "mimeType":
            return file.mime_type == value
        case "parents":
            return value in file.parents
        case "fullText" if value.lower() in (file.content or b"").decode(errors="replace").lower():
            return True
    return value.lower() in file.name.lower()
