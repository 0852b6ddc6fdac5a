"""Answer 304 to a client that already has the current version."""

from flask import Request, Response


def conditional(response: Response, request: Request) -> Response:
    """Add an ETag, and answer 304 if the client has this version.

    werkzeug regards the `*` of `If-Match` as the tag of a version, though it matches any version
    (RFC 9110, section 13.1.1). `If-Modified-Since` is ignored: versions have no date, and werkzeug
    fails for a date that does not exist in Python.
    """
    response.add_etag()
    ignored = ["HTTP_IF_MODIFIED_SINCE"]
    if request.if_match.star_tag:
        ignored.append("HTTP_IF_MATCH")
    environ = {name: value for name, value in request.environ.items() if name not in ignored}
    response.make_conditional(environ)
    return response
