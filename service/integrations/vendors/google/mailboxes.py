"""Read mail addresses in users' texts, and in headers of received mail.

`email` reads `alice@example.com <bob@example.com>` as two addresses (in newer versions of Python as
none, unless told to be lenient), and drops spaces: it reads `bob@example.com Bob` as
`bob@example.comBob`. So this module divides lists at their commas, and `email` reads one piece at a
time, which must contain the address unchanged. `email.headerregistry` reads addresses correctly,
but takes 15 µs for a character. For a long list that is half a second, in which no other request
would be served. All functions here take linear time.

Source: RFC 5322, section 3.4.
"""

import re
from collections.abc import Iterator
from email import utils
from typing import Any

_ATOM = r"[\w!#$%&'*+/=^`{|}~-]+"
ADDRESS = re.compile(rf"{_ATOM}(\.{_ATOM})*@[\w-]+(\.[\w-]+)+", re.ASCII)
ADDRESS_LIMIT = 320
_MARK = re.compile(r'\\.|[",()]', re.DOTALL)
_LENIENT: dict[str, Any] = {"strict": False} if hasattr(utils, "supports_strict_parsing") else {}
_IN_BRACKETS = re.compile(r"<([^<>]*)>\s*\Z")


def addresses(text: str) -> list[tuple[str, str]]:
    """Return name and address of each mailbox, or [] if one of them is invalid or ambiguous."""
    read = [_parse_mailbox(piece) for piece in _divide(text)]
    found = [one for one in read if one is not None]
    return [(one_line(name), address) for name, address in found] if len(found) == len(read) else []


def parse_mailboxes(header: str) -> list[str]:
    """Return the addresses of a received header, in lower case, without unreadable ones."""
    read = (_received(piece) for piece in _divide(header))
    return list(dict.fromkeys(address.lower() for address in read if address))


def one_line(text: str) -> str:
    """Return a text as one line, without unpaired surrogates, which a vendor's JSON may have."""
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _divide(text: str) -> Iterator[str]:
    """Yield the non-empty pieces between commas that are not in quotes or comments."""
    start, is_quoted, depth = 0, False, 0
    for mark in _MARK.finditer(text):
        match mark[0]:
            case '"':
                is_quoted = is_quoted != (depth == 0)
            case "(" if not is_quoted:
                depth += 1
            case ")":
                depth = max(depth - 1, 0)
            case "," if not is_quoted and not depth:
                yield from _unless_empty(text[start : mark.start()])
                start = mark.end()
    yield from _unless_empty(text[start:])


def _unless_empty(piece: str) -> Iterator[str]:
    if piece.strip():
        yield piece


def _parse_mailbox(piece: str) -> tuple[str, str] | None:
    """Return name and address, or None.

    An address before another one in brackets may be a name, or a second person without a comma, so
    both must be the same.
    """
    if _is_address(bare := piece.strip()):
        return "", bare
    found = [(name, address) for name, address in _parsed(piece) if address]
    if len({address.lower() for _, address in found}) != 1:
        return None
    name, address = found[-1]
    return (name, address) if _is_address(address) and address in piece else None


def _received(piece: str) -> str | None:
    """Return the address in brackets at the end, with any name, as mail programs do."""
    bracketed = _IN_BRACKETS.search(piece)
    if bracketed:
        address = bracketed[1].strip()
        return address if _is_address(address) else None
    return (_parse_mailbox(piece) or (None, None))[1]


def _parsed(piece: str) -> list[tuple[str, str]]:
    try:
        return utils.getaddresses([piece], **_LENIENT)
    except RecursionError:  # comments within comments
        return []


def _is_address(text: str) -> bool:
    return len(text) <= ADDRESS_LIMIT and ADDRESS.fullmatch(text) is not None
