"""What a request wants of an item, by its conditions and its range.

Source: RFC 9110, sections 13.2.2, 14.2 and 15.5.17.
"""

from flask import Request, Response
from werkzeug.exceptions import RequestedRangeNotSatisfiable

from service.web.errors import InvalidRequest


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
    """Raises `PreconditionFailed` if the client wants another item."""
    wanted = request.if_match
    if wanted and not (wanted.star_tag or wanted.is_strong(etag)):
        raise PreconditionFailed()


def make_conditional(response: Response, request: Request, etag: str, size: int) -> Response:
    """Return the response, a range of it, or that nothing has changed.

    A range that is not understood is ignored, and so is one of a request that needs no content.
    Raises `RangeNotSatisfiable`.
    """
    ignored = {"HTTP_IF_MATCH"}  # `check_match` has looked at it
    if not _wants_range(request, etag):
        ignored.add("HTTP_RANGE")
    environ = {name: value for name, value in request.environ.items() if name not in ignored}
    try:
        return response.make_conditional(environ, accept_ranges=True, complete_length=size)
    except RequestedRangeNotSatisfiable:
        response.close()
        raise RangeNotSatisfiable(size) from None


def _wants_range(request: Request, etag: str) -> bool:
    if request.method != "GET" or request.if_none_match.contains_weak(etag):
        return False
    asked = request.range
    return asked is not None and asked.units == "bytes" and len(asked.ranges) == 1
