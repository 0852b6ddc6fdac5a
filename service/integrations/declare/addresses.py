"""Addresses that a vendor loads for a caller: checks of fields.

A vendor's base URL may be a host of the operator's own, such as a Firecrawl in the same network.
The vendor may load an address in a browser. So a host is checked as browsers read it, and not as it
is written: `127.0.01`, `0x7f.0.0.0x1` and `１２７.0.0.1` are all 127.0.0.1 to them.
Source: URL Standard, "host parsing" and "ends in a number"; UTS 46.
"""

import ipaddress
import re
import unicodedata
from urllib.parse import urlsplit

from marshmallow import ValidationError, validate

from service.outbound.guarded import is_public

# Names of hosts that are nobody else's: reserved ones, those in the /etc/hosts of many machines,
# those that private networks use (RFC 6762, appendix G), and that of services in a Kubernetes
# cluster, for which its machines look below `.cluster.local`.
RESERVED = (".localhost", ".local", ".internal", ".home.arpa")
LOCAL = (
    *RESERVED, ".localdomain", ".localdomain6", ".intranet", ".private", ".corp", ".home", ".lan",
    ".svc",
)  # fmt: skip
NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")  # how a host ends that is an address

_is_https = validate.URL(schemes={"https"}, error="Must be an https URL.")


def check_public_https(url: str) -> None:
    """Raises ValidationError for what is no https URL, or whose host can't be a public one."""
    _is_https(url)
    _check_host(url, "Must be an https URL.")


def check_public(url: str) -> None:
    """Raises ValidationError for an http or https URL whose host can't be a public one."""
    _check_host(url, "Not a valid URL.")


def host_of(url: str) -> str:
    """The host of a URL as browsers read it. Raises ValueError for one that there can't be."""
    return _as_browsers_read(urlsplit(url).hostname or "")


def _check_host(url: str, invalid: str) -> None:
    """Raises ValidationError; `invalid` is for a host or port that there can't be, as `[::::]`."""
    try:
        host, port = host_of(url), urlsplit(url).port
    except ValueError:
        raise ValidationError(invalid) from None
    if port == 0:
        raise ValidationError(invalid)
    if not _may_be_public(host):
        raise ValidationError("The host must be a public one.")


def _as_browsers_read(name: str) -> str:
    """A host in ASCII and lower case. Raises ValueError for a name that there can't be.

    Python's codec knows Unicode 3.2. So what later characters stand for, and those that nobody
    sees, are taken care of first.
    """
    if ":" in name:
        return name
    plain = unicodedata.normalize("NFKC", name)
    seen = "".join(letter for letter in plain if not _is_dropped(letter))
    return seen.encode("idna").decode().lower().removesuffix(".")


def _is_dropped(letter: str) -> bool:
    """Whether browsers drop a character, and Python's codec does not know it."""
    return unicodedata.category(letter) == "Cf" or letter == "\u180f"  # a variation selector


def _may_be_public(host: str) -> bool:
    if ":" in host or NUMBER.fullmatch(host):
        return _is_public_address(host)
    return "." in host and not host.endswith(LOCAL)


def _is_public_address(host: str) -> bool:
    """An address in any other form than the usual one is not public: nobody needs it."""
    try:
        return is_public(ipaddress.ip_address(host))
    except ValueError:
        return False
