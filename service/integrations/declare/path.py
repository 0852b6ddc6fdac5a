"""Paths and base URLs with varying pieces: `/{owner}/{path+}`, `https://{language}.example.org`."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from service.integrations.declare.reading import unusable
from service.storable import is_storable
from service.web.errors import InvalidRequest

_DOTS = (".", "..")
_PIECE = re.compile(r"\{(\w+)(\+?)\}")
_LABEL = re.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")  # of a host name, RFC 1035


def pieces_of(template: str) -> set[str]:
    """Return the names of the varying pieces."""
    return {name for name, _ in _PIECE.findall(template)}


def is_deep(template: str, name: str) -> bool:
    """Return whether a varying piece may have slashes."""
    return f"{{{name}+}}" in template


def path_of(template: str, **pieces: Any) -> str:
    """Return a path with its pieces quoted, so that none of them can leave its place.

    Parameters have been checked before, so a piece that does not fit comes from a vendor. Raises
    `Unusable` for it.
    """

    def fill(match: re.Match[str]) -> str:
        name, deep = match.groups()
        text = str(pieces[name])
        if not _fits(text, bool(deep)):
            raise unusable(name)
        return quote(text, safe="/" if deep else "")

    return _PIECE.sub(fill, template)


def quote_piece(name: str, text: str, deep: bool) -> str:
    """Return a quoted piece of a path. Raises `InvalidRequest` for the parameter `name`."""
    if not _fits(text, deep):
        raise InvalidRequest(details={name: ["Not allowed here."]})
    return quote(text, safe="/" if deep else "")


def _fits(text: str, deep: bool) -> bool:
    """Return whether a text may be a piece, or several pieces if it is `deep`.

    In a single piece slashes are quoted. Dots can't be quoted, because `%2E` is the same as `.` to
    a server that normalises paths. Some servers resolve dots between quoted slashes, too.
    """
    is_broken = bool(text) and "" in text.split("/") if deep else not text
    return not is_broken and not has_dot_segment(text) and is_storable(text)


def has_dot_segment(text: str) -> bool:
    """Return whether one of the pieces between slashes is `.` or `..` (RFC 3986, section 5.2.4)."""
    return any(part in _DOTS for part in text.split("/"))


def base_of(template: str, pieces: Mapping[str, str]) -> str:
    """Return a base URL with its pieces filled in. An operator's own URL may lack them."""
    for name, text in pieces.items():
        template = template.replace(f"{{{name}}}", text)
    return template


def label(name: str, text: str) -> str:
    """Check a varying piece of a base URL: a label of a host name. Raises `InvalidRequest`."""
    if not _LABEL.fullmatch(text):
        raise InvalidRequest(details={name: ["Not allowed here."]})
    return text
