"""The version of a record, which is its `updatedAt`. A write can name the version it expects."""

import re

from werkzeug.datastructures import Headers

from service.web.errors import InvalidRequest

# The form in which `timestamp` writes a time.
VERSION = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z")
VERSION_RULE = "Must be the record's `updatedAt`."
IF_MATCH = "The record's `updatedAt`. If the record has been changed since, the answer is 409."


def expected_version(headers: Headers) -> str | None:
    """Return the version in `If-Match`, or None. Quotes are optional, and `*` matches any.

    Raises `InvalidRequest`.
    """
    value = headers.get("If-Match", "").strip()
    if value in ("", "*"):
        return None
    version = value.strip('"')
    if not VERSION.fullmatch(version):
        raise InvalidRequest(details={"If-Match": [VERSION_RULE]})
    return version
