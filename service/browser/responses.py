"""Answer with a file for browsers: compressed, and as a 304 if the browser has this version."""

from pathlib import Path

from flask import Response, request

from service.browser.files import MEDIA_TYPES, content
from service.web.conditional import conditional
from service.web.errors import NotFound

FILE = {
    "Cache-Control": "no-cache",  # revalidated by ETag: no module is older than its page
    "Content-Security-Policy": "sandbox; default-src 'none'",  # an SVG is a document
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}
OWN_ORIGIN = {"Cross-Origin-Resource-Policy": "same-origin"}
# A widget's frame has an opaque origin, so every address belongs to another origin.
ANY_ORIGIN = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}


def file_response(path: Path, *, any_origin: bool) -> Response:
    """Return a response with a file that pages of any origin, or only our own, may load."""
    compressed = bool(request.accept_encodings["gzip"])
    response = Response(content(path, compressed=compressed))
    response.content_type = f"{MEDIA_TYPES[path.suffix]}; charset=utf-8"
    response.headers.update(FILE | (ANY_ORIGIN if any_origin else OWN_ORIGIN))
    if compressed:
        response.headers["Content-Encoding"] = "gzip"
    return conditional(response, request)


def missing_file() -> NotFound:
    """Return the error for a file that does not exist, for pages of any origin.

    Without the header, the browser of a widget that imports such a file reports that CORS forbids
    it, and not the 404.
    """
    error = NotFound()
    error.headers = ANY_ORIGIN
    return error
