"""The files that browsers load, at `/browser/<folder>/<name>`.

Source: docs/contract.md, section 12.
"""

from flask import Blueprint, Response, request

from service.browser import files
from service.web.edge import answers
from service.web.errors import NotFound

browser = Blueprint("browser", __name__)

HEADERS = {
    "Cache-Control": "no-cache",  # revalidated by ETag: no module is older than its page
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}
OWN_ORIGIN = {"Cross-Origin-Resource-Policy": "same-origin"}
# A widget's frame has an opaque origin, to which every address is another origin's.
ANY_ORIGIN = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
FOR_WIDGETS = ("shared", "widgets")


@browser.after_request
def secure(response: Response) -> Response:
    folder = (request.view_args or {}).get("folder")
    response.headers.update(HEADERS | (ANY_ORIGIN if folder in FOR_WIDGETS else OWN_ORIGIN))
    return response


@browser.get("/browser/<folder>/<name>")
@answers(None, media_type=tuple(files.MEDIA_TYPES.values()), others={304: {}})
def file(folder: str, name: str) -> Response:
    """A module or a style sheet, for pages"""
    path = files.find(folder, name)
    if path is None:
        raise NotFound()
    compressed = bool(request.accept_encodings["gzip"])
    response = Response(files.content(path, compressed=compressed))
    response.content_type = f"{files.MEDIA_TYPES[path.suffix]}; charset=utf-8"
    if compressed:
        response.headers["Content-Encoding"] = "gzip"
    response.add_etag()
    response.make_conditional(request)
    return response
