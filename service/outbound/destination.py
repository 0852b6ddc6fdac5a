"""The destination of a request: the server, and the target in the request line.

Source: RFC 3986; RFC 9112, section 3.2; RFC 7617.
"""

import base64
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple
from urllib.parse import unquote

from urllib3.util import Url, parse_url

PORTS = {"http": 80, "https": 443}
CACHED_SERVERS = 256  # servers

_CHARACTERS = r"[A-Za-z0-9._~!$&'()*+,;=:@/?-]*+"
# A URL that needs no encoding, as nearly all. Parsing a URL takes ten times as long.
_PLAIN = re.compile(
    rf"(https?://[A-Za-z0-9.-]+(?::[0-9]+)?)(/{_CHARACTERS}(?:%[0-9A-Fa-f]{{2}}{_CHARACTERS})*)"
)


class Origin(NamedTuple):
    """A server. An IPv6 address in `host` has no brackets."""

    scheme: Literal["http", "https"]
    host: str
    port: int


@dataclass(frozen=True)
class Destination:
    """A server with header values: `host`, and `authorization` for a URL with a password."""

    origin: Origin
    host: str
    authorization: str | None


def destination_of(url: str) -> tuple[Destination, str]:
    """Return the destination and the request's target. Raises ValueError for an unusable URL."""
    plain = _PLAIN.fullmatch(url)
    if plain and "/." not in plain[2]:
        return _plain_destination(plain[1]), plain[2]
    parsed = parse_url(url)
    return _destination(parsed), parsed.request_uri


@lru_cache(CACHED_SERVERS)
def _plain_destination(address: str) -> Destination:
    return _destination(parse_url(address))


def _destination(url: Url) -> Destination:
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("not a URL of HTTP")
    scheme: Literal["http", "https"] = "https" if url.scheme == "https" else "http"
    standard = PORTS[scheme]
    # The zone of an IPv6 address is meaningful only on this machine.
    host = re.sub(r"%[^\]]*\]", "]", url.host)
    port = url.port or standard
    return Destination(
        Origin(scheme, url.host.strip("[]"), port),
        host if port == standard else f"{host}:{port}",
        _basic(url.auth) if url.auth else None,
    )


def _basic(auth: str) -> str:
    """Return the header's value for `user:password` of a URL. Raises ValueError."""
    user, _, password = auth.partition(":")
    pair = f"{unquote(user)}:{unquote(password)}".encode("latin-1")
    return f"Basic {base64.b64encode(pair).decode()}"
