"""The origins that are the service's own.

Source: docs/contract.md, section 2.4.
"""

import re
from urllib.parse import urlsplit

from config import Settings

ORIGIN_REFUSED = "This origin may not connect here: see PUBLIC_URL and CORS_ORIGINS."

# A Host is written into policies, so it is trusted only in this form.
LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", re.IGNORECASE)


def is_safe(url: str) -> bool:
    """Return whether nobody can read the traffic to a URL: it is https, or of this machine.

    Return False for an invalid URL: one that can't be encoded, a wrong port, or too long a name.
    """
    try:
        url.encode()
        parts = urlsplit(url)
        is_usable = parts.port != 0 and bool((parts.hostname or "").encode("idna"))
    except ValueError:
        return False
    is_local = parts.scheme == "http" and LOOPBACK.fullmatch(parts.netloc) is not None
    return is_usable and (is_local or parts.scheme == "https")


def public_origin(settings: Settings) -> str:
    """Return the origin of `PUBLIC_URL`."""
    own = urlsplit(settings.own_url)
    return f"{own.scheme}://{own.netloc}"


def own_origin(settings: Settings, scheme: str, host: str) -> str:
    """Return the origin of a page that is requested with this scheme and Host.

    On loopback it is the request's own origin, because any port and name may lead there.
    """
    return f"{scheme}://{host}" if LOOPBACK.fullmatch(host) else public_origin(settings)
