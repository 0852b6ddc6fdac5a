"""Parsers for settings that are addresses. A wrong value raises ValueError with "must …"."""

import ipaddress
import re
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from config_values import names

DEFAULT_PORTS = {"http": 80, "https": 443}
HOST = re.compile("[a-z0-9_-]+([.][a-z0-9_-]+)*[.]?")
NEVER_MAPPED = set("ßς\u200c\u200d")  # Python's IDNA maps or drops these; today's browsers do not


def url(value: str) -> str:
    """Parse an http or https URL that is requested without changes.

    A slash at its end stays: servers tell `/oauth/token` from `/oauth/token/`.
    """
    parts = urlsplit(value)
    is_http = parts.scheme in ("http", "https") and parts.hostname and not parts.username
    if not is_http or not _is_one_word(value) or not _has_port(parts):
        raise ValueError("must be an http or https URL without credentials")
    return value


def base_url(value: str) -> str:
    """Parse an http or https URL to which paths are appended: it has no query or fragment."""
    if any(mark in value for mark in "?#"):
        raise ValueError("must be an http or https URL without credentials, query and fragment")
    return url(value).rstrip("/")


def base_of(path: str, *beginnings: str) -> Callable[[str], str]:
    """Return a parser for the base URL of an API, to which we append `path`.

    It refuses a URL that ends with the path, or with one of `beginnings`, which begin the path.
    """

    def parse(value: str) -> str:
        base = base_url(value)
        if base.endswith((path, *beginnings)):
            raise ValueError(f"must end before {path}, which is appended")
        return base

    return parse


def server(value: str) -> str:
    """Parse the URL of a server. A ws or wss URL becomes an http or https URL."""
    try:
        return base_url(f"http{value[2:]}" if value.startswith(("ws:", "wss:")) else value)
    except ValueError:
        told = "must be a wss, ws, https or http URL without credentials, query and fragment"
        raise ValueError(told) from None


def public_url(value: str) -> str:
    """Parse the origin of our own pages, whose links begin at its root, as browsers write it."""
    parts = urlsplit(value)
    own = _origin(parts) if _is_one_word(value) else None
    if own is None or any(mark in value for mark in "?#"):
        raise ValueError("must be an http or https URL without credentials, query and fragment")
    if parts.path.rstrip("/"):
        raise ValueError("must be without a path: the service can't be served below one")
    return own


def origins(value: str) -> tuple[str, ...]:
    """Parse exact origins, `scheme://host[:port]`, as browsers write them. No wildcards."""
    return tuple(map(_exact_origin, names(value)))


def _exact_origin(item: str) -> str:
    parts = urlsplit(item)
    exact = _origin(parts) if _is_one_word(item) else None
    if exact is None or item.partition("://")[2] != parts.netloc:
        raise ValueError("must be exact origins such as https://app.example.com")
    return exact


def _origin(parts: SplitResult) -> str | None:
    """Return the origin of a URL as browsers write it, or None if no page can have that address.

    Source: HTML, "serialization of an origin"; URL Standard, "host parsing".
    """
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc or not _has_port(parts):
        return None
    host = _host(parts.hostname or "")
    is_default = parts.port in (None, DEFAULT_PORTS[parts.scheme])
    return host and f"{parts.scheme}://{host}{'' if is_default else f':{parts.port}'}"


def _host(name: str) -> str | None:
    try:
        if ":" in name:
            return f"[{ipaddress.IPv6Address(name)}]"
        host = name.encode("idna").decode().lower()
        if re.fullmatch(r".*\.?(\d+|0x[0-9a-f]*)\.?", host):  # browsers read it as an IPv4 address
            return str(ipaddress.IPv4Address(host))
    except ValueError:
        return None
    is_name = HOST.fullmatch(host) and not set(name) & NEVER_MAPPED
    return host if is_name else None


def listening(value: str) -> str:
    """Check gunicorn's addresses, comma separated: `host:port`, `[IPv6]:port` or `unix:path`."""
    items = names(value)
    if not items or not all(map(_is_listening, items)):
        raise ValueError("must be host:port, [IPv6]:port or unix:path, with a port up to 65535")
    return value


def _is_listening(item: str) -> bool:
    if item.startswith(("unix:", "fd://")):
        return re.fullmatch(r"unix:.*[^/]|fd://\d+", item) is not None
    # Without a port, gunicorn would use port 8000, whatever PORT is, and accept any word as a host.
    parts = re.fullmatch(r"(?:tcp://)?(\[[^\]]+\]|[A-Za-z0-9._-]*):(\d{1,5})", item)
    if parts is None or int(parts[2]) >= 1 << 16:
        return False
    return not parts[1].startswith("[") or _is_ipv6(parts[1][1:-1])


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False


def _is_one_word(value: str) -> bool:
    """Return whether there are no blanks or control characters, which `urlsplit` would accept."""
    return value.isprintable() and " " not in value


def _has_port(parts: SplitResult) -> bool:
    """Return whether the port of a URL is valid or absent."""
    try:
        return parts.port != 0
    except ValueError:
        return False
