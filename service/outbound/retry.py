"""Read how long a client should wait before its next request (`Retry-After`)."""

import re
import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz

SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")  # some hosts send fractions


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in a `Retry-After` header, or None if it holds no number and no date.

    A date in the past gives 0. Source: RFC 9110, section 10.2.3.
    """
    value = headers.get("Retry-After", "").strip()
    if SECONDS.fullmatch(value):  # `isdigit` accepts superscripts, which `float` does not
        return float(value)
    try:
        date = parsedate_tz(value)
        return max(0.0, mktime_tz(date) - time.time()) if date else None
    except (ValueError, OverflowError):  # the year 10000
        return None
