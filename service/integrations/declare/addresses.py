"""Addresses that a vendor loads for a caller: checks of fields.

A vendor's base URL may be a host of the operator's own, such as a Firecrawl in the same network.
"""

import ipaddress
from urllib.parse import urlsplit

from marshmallow import ValidationError, validate

from service.outbound.guarded import is_public

LOCAL = (".localhost", ".local", ".internal", ".home.arpa")  # names of hosts that are nobody else's

_is_https = validate.URL(schemes={"https"}, error="Must be an https URL.")


def check_public_https(url: str) -> None:
    """Raises ValidationError for what is no https URL, or whose host can't be a public one."""
    _is_https(url)
    _check_host(url, "Must be an https URL.")


def check_public(url: str) -> None:
    """Raises ValidationError for an http or https URL whose host can't be a public one."""
    _check_host(url, "Not a valid URL.")


def _check_host(url: str, invalid: str) -> None:
    """Raises ValidationError; `invalid` is for a host that is none, such as `[::::]`."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        raise ValidationError(invalid) from None
    if not _may_be_public(host):
        raise ValidationError("The host must be a public one.")


def _may_be_public(host: str) -> bool:
    try:
        return is_public(ipaddress.ip_address(host))
    except ValueError:
        return "." in host and not host.endswith(LOCAL)
