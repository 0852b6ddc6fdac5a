"""Answers that a client does not get again while it has the current version."""

from flask import Request, Response


def conditional(response: Response, request: Request) -> Response:
    """Add an ETag, and answer 304 if the client has this version.

    werkzeug takes the `*` of `If-Match` for the tag of a version. It stands for any (RFC 9110,
    section 13.1.1).
    """
    response.add_etag()
    is_any = request.if_match.star_tag
    response.make_conditional({**request.environ, "HTTP_IF_MATCH": ""} if is_any else request)
    return response
