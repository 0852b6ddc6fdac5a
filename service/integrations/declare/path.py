"""Paths and base URLs with varying pieces: `/{owner}/{path+}`, `https://{language}.site.example`."""

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
    """The names of the varying pieces."""
    return {name for name, _ in _PIECE.findall(template)}


def is_deep(template: str, name: str) -> bool:
    """Whether a varying piece may have slashes."""
    return f"{{{name}+}}" in template


def path_of(template: str, **pieces: Any) -> str:
    """A path with its pieces quoted: none of them can leave its place.

    Parameters have been checked before, so that a piece which does not fit is one that a vendor has
    named. Raises `Unusable` for it.
    """

    def fill(match: re.Match[str]) -> str:
        name, deep = match.groups()
        text = str(pieces[name])
        if not _fits(text, bool(deep)):
            raise unusable(name)
        return quote(text, safe="/" if deep else "")

    return _PIECE.sub(fill, template)


def quote_piece(name: str, text: str, deep: bool) -> str:
    """A varying piece of a path; `name` is whose fault it is. Raises `InvalidRequest`."""
    if not _fits(text, deep):
        raise InvalidRequest(details={name: ["Not allowed here."]})
    return quote(text, safe="/" if deep else "")


def _fits(text: str, deep: bool) -> bool:
    """Whether a text may be a piece, or pieces if it is `deep`: slashes are quoted in one piece.

    Dots can't be quoted: `%2E` is the same as `.` to whoever normalises a path. Some servers
    resolve dots between quoted slashes, too.
    """
    is_broken = bool(text) and "" in text.split("/") if deep else not text
    return not is_broken and not has_dot_segment(text) and is_storable(text)


def has_dot_segment(text: str) -> bool:
    """Whether one of the pieces between slashes is `.` or `..` (RFC 3986, section 5.2.4)."""
    return any(part in _DOTS for part in text.split("/"))


def base_of(template: str, pieces: Mapping[str, str]) -> str:
    """A base URL with its pieces. One that an operator has set may lack them."""
    for name, text in pieces.items():
        template = template.replace(f"{{{name}}}", text)
    return template


def label(name: str, text: str) -> str:
    """A varying piece of a base URL: a label of a host name. Raises `InvalidRequest`."""
    if not _LABEL.fullmatch(text):
        raise InvalidRequest(details={name: ["Not allowed here."]})
    return text
