"""Which part of an item a request asks for, by its conditions and its range.

Source: RFC 9110, sections 13.2.2, 14.1.2, 14.2 and 15.5.17.
"""

import re

from flask import Request, Response
from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.http import parse_range_header

from service.web.errors import InvalidRequest

SUFFIX = re.compile(r"bytes=[ \t]*-(\d+)[ \t]*", re.IGNORECASE | re.ASCII)  # the last bytes
# The headers that are checked here. werkzeug fails for a date that does not exist in Python.
REPLACED = ("HTTP_IF_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_IF_RANGE", "HTTP_RANGE")


class PreconditionFailed(InvalidRequest):
    status = 412
    message = "The item is not the one that `If-Match` names."


class RangeNotSatisfiable(InvalidRequest):
    status = 416
    message = "The item has no such range."

    def __init__(self, size: int) -> None:
        super().__init__()
        self.headers = {"Content-Range": f"bytes */{size}"}


def check_match(request: Request, etag: str) -> None:
    """Raise `PreconditionFailed` if the client wants another item."""
    wanted = request.if_match
    if wanted and not (wanted.star_tag or wanted.is_strong(etag)):
        raise PreconditionFailed()


def make_conditional(response: Response, request: Request, etag: str, size: int) -> Response:
    """Return the whole item, a range of it, or that it has not changed.

    A range that is not understood is ignored, as is a range in a request that needs no content.
    Items have no date, so `If-Modified-Since` is ignored too. Raises `RangeNotSatisfiable`.
    """
    environ = {name: value for name, value in request.environ.items() if name not in REPLACED}
    wanted = _range(request.headers.get("Range", ""), size)
    if _is_for_range(request, etag) and _is_understood(wanted):
        environ["HTTP_RANGE"] = wanted
    try:
        response.make_conditional(environ, accept_ranges=True, complete_length=size)
    except RequestedRangeNotSatisfiable:
        response.close()
        raise RangeNotSatisfiable(size) from None
    return response


def _is_for_range(request: Request, etag: str) -> bool:
    is_of_item = request.headers.get("If-Range", f'"{etag}"') == f'"{etag}"'
    has_item = request.if_none_match.contains_weak(etag)
    return request.method == "GET" and is_of_item and not has_item


def _is_understood(wanted: str) -> bool:
    parsed = parse_range_header(wanted)
    return parsed is not None and parsed.units == "bytes" and len(parsed.ranges) == 1


def _range(wanted: str, size: int) -> str:
    """Return a range in a form that werkzeug interprets as the standard says.

    werkzeug refuses a suffix that is longer than the item, which means the whole item. It ignores
    an empty suffix, which can't be satisfied.
    """
    suffix = SUFFIX.fullmatch(wanted)
    if suffix is None:
        return wanted
    length = suffix[1].lstrip("0")
    if not length:
        return f"bytes={size}-"
    is_longer = len(length) > len(str(size)) or int(length) > size
    return "bytes=0-" if is_longer else f"bytes=-{length}"
