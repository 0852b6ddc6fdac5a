"""Answer 304 to a client that already has the current version."""

from flask import Request, Response


def conditional(response: Response, request: Request) -> Response:
    """Add an ETag, and answer 304 if the client has this version.

    werkzeug regards the `*` of `If-Match` as the tag of a version, though it matches any version
    (RFC 9110, section 13.1.1).
    """
    response.add_etag()
    is_any = request.if_match.star_tag
    response.make_conditional({**request.environ, "HTTP_IF_MATCH": ""} if is_any else request)
    return response
