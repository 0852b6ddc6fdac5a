"""Check addresses that a vendor loads for a caller.

A vendor may run on the operator's own host, such as a Firecrawl in the same network, and may load
an address in a browser. So a host is checked in the form in which browsers read it:
`127.0.01`, `0x7f.0.0.0x1` and `１２７.0.0.1` are all 127.0.0.1 for them.
Source: URL Standard, "host parsing" and "ends in a number"; UTS 46.
"""

import ipaddress
import re
import unicodedata
from urllib.parse import urlsplit

from marshmallow import ValidationError, validate

from service.outbound.guarded import is_public

# Suffixes of hosts that are not public: reserved names, names in the /etc/hosts of many machines,
# names that private networks use (RFC 6762, appendix G), and the name of services in a Kubernetes
# cluster, which its machines look up below `.cluster.local`.
RESERVED = (".localhost", ".local", ".internal", ".home.arpa")
LOCAL = (
    *RESERVED, ".localdomain", ".localdomain6", ".intranet", ".private", ".corp", ".home", ".lan",
    ".svc",
)  # fmt: skip
NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")  # the end of a host that is an address

_is_https = validate.URL(schemes={"https"}, error="Must be an https URL.")


def check_public_https(url: str) -> None:
    """Raise ValidationError unless the text is an https URL whose host may be public."""
    _is_https(url)
    _check_host(url, "Must be an https URL.")


def check_public(url: str) -> None:
    """Raise ValidationError for an http or https URL whose host can't be public."""
    _check_host(url, "Not a valid URL.")


def host_of(url: str) -> str:
    """Return the host of a URL as browsers read it. Raises ValueError for an impossible host."""
    return _as_browsers_read(urlsplit(url).hostname or "")


def _check_host(url: str, invalid: str) -> None:
    """Raise ValidationError. `invalid` is its text for an impossible host or port."""
    try:
        host, port = host_of(url), urlsplit(url).port
    except ValueError:
        raise ValidationError(invalid) from None
    if port == 0:
        raise ValidationError(invalid)
    if not _may_be_public(host):
        raise ValidationError("The host must be a public one.")


def _as_browsers_read(name: str) -> str:
    """Return a host in ASCII and lower case. Raises ValueError for an impossible name.

    Python's codec knows Unicode 3.2. So later characters are normalised first, and invisible ones
    are removed.
    """
    if ":" in name:
        return name
    plain = unicodedata.normalize("NFKC", name)
    seen = "".join(letter for letter in plain if not _is_dropped(letter))
    return seen.encode("idna").decode().lower().removesuffix(".")


def _is_dropped(letter: str) -> bool:
    """Return whether browsers drop a character that Python's codec does not know."""
    return unicodedata.category(letter) == "Cf" or letter == "\u180f"  # a variation selector


def _may_be_public(host: str) -> bool:
    if ":" in host or NUMBER.fullmatch(host):
        return _is_public_address(host)
    return "." in host and not host.endswith(LOCAL)


def _is_public_address(host: str) -> bool:
    """Return whether an address is public. Unusual forms are refused, because nobody needs them."""
    try:
        return is_public(ipaddress.ip_address(host))
    except ValueError:
        return False
