"""Parsers for settings that are addresses. A wrong value raises ValueError with "must …"."""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from config_values import names


def url(value: str) -> str:
    parts = urlsplit(value)
    is_http = parts.scheme in ("http", "https") and parts.hostname and not parts.username
    if not is_http or not _is_one_word(value) or not _has_port(parts):
        raise ValueError("must be an http or https URL without credentials")
    return value.rstrip("/")


def server(value: str) -> str:
    """The http or https URL of a server that is also known by a ws or wss one."""
    return url(f"http{value[2:]}" if value.startswith(("ws:", "wss:")) else value)


def origins(value: str) -> tuple[str, ...]:
    """Exact origins, `scheme://host[:port]`; a wildcard is refused."""
    for item in names(value):
        parts = urlsplit(item)
        if parts.scheme not in ("http", "https") or item != f"{parts.scheme}://{parts.netloc}":
            raise ValueError("must be exact origins such as https://app.example.com")
    return names(value)


def listening(value: str) -> str:
    """Where gunicorn listens: `host:port`, `[IPv6]:port`, `unix:path`, or several with commas."""
    items = names(value)
    if not items or not all(map(_is_listening, items)):
        raise ValueError("must be host:port, [IPv6]:port or unix:path, with a port up to 65535")
    return value


def _is_listening(item: str) -> bool:
    if item.startswith(("unix:", "fd://")):
        return re.fullmatch(r"unix:.*[^/]|fd://\d+", item) is not None
    parts = re.fullmatch(r"(?:tcp://)?(\[[^\]]+\]|[A-Za-z0-9._-]*)(?::(\d{1,5}))?", item)
    if parts is None or int(parts[2] or 8000) >= 1 << 16:
        return False
    return not parts[1].startswith("[") or _is_ipv6(parts[1][1:-1])


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False


def _is_one_word(value: str) -> bool:
    """`urlsplit` leaves out tabs and line breaks, and lets blanks pass."""
    return value.isprintable() and " " not in value


def _has_port(parts: SplitResult) -> bool:
    """Whether a URL has a port that there can be, or none."""
    try:
        return parts.port != 0
    except ValueError:
        return False
