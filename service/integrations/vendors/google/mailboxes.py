"""Mail addresses: in what people have typed, and in headers of mail that they have received.

`email` reads `alice@example.com <bob@example.com>` as two addresses (newer versions of Python as
none, if not told to be lenient), and leaves out spaces: `bob@example.com Bob` is
`bob@example.comBob` to it. So lists are divided at their commas here, and `email` reads one piece
at a time, whose address must stand in it as it is.
`email.headerregistry` reads them right, but takes 15 µs for a character, half a second for a long
list, in which nobody else would be served.
Source: RFC 5322, section 3.4. All of this is linear in its input.
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
    """Name and address of each; empty if one of them is not an address, or not clearly one."""
    read = [_parse_mailbox(piece) for piece in _divide(text)]
    found = [one for one in read if one is not None]
    return [(one_line(name), address) for name, address in found] if len(found) == len(read) else []


def parse_mailboxes(header: str) -> list[str]:
    """The addresses of a received header, in lower case. What can't be read is left out."""
    read = (_received(piece) for piece in _divide(header))
    return list(dict.fromkeys(address.lower() for address in read if address))


def one_line(text: str) -> str:
    """One line, without the lone surrogates that a vendor's JSON may have."""
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _divide(text: str) -> Iterator[str]:
    """The pieces between commas that stand in no quotes and no comment, but for empty ones."""
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
    """Name and address. An address before another one in brackets may be a name, or a second
    person whose comma is missing, so that it has to be the same one."""
    if _is_address(bare := piece.strip()):
        return "", bare
    found = [(name, address) for name, address in _parsed(piece) if address]
    if len({address.lower() for _, address in found}) != 1:
        return None
    name, address = found[-1]
    return (name, address) if _is_address(address) and address in piece else None


def _received(piece: str) -> str | None:
    """The address in brackets at the end, whatever its name is, as in mail programs."""
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
