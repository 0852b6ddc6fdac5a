"""The console: one page at `/` and its modules under `/console/`.

Source: contract section 12; the headers are those of the host page in its design.
"""

import functools
import gzip
from pathlib import Path

from flask import Blueprint, Response, current_app, make_response, render_template, request

from config import Settings
from service.edge import answers
from service.errors import NotFound

console = Blueprint("console", __name__, template_folder="templates")

STATIC = Path(console.root_path) / "static"

# The callback pages' own: they are shown in a window of their own (service/integrations/oauth.py).
ELSEWHERE = {"oauth-callback.js"}

# Said here and not guessed: some machines map .js to text/plain, and then no module loads.
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
HEADERS = {
    "Cache-Control": "no-cache",  # with an ETag: no file is ever older than the page that loads it
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}


@console.after_request
def secure(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


@console.get("/")
@answers(None, others={304: {}})
def index() -> Response:
    """The console, for people who open the service in a browser"""
    settings: Settings = current_app.config["SETTINGS"]
    facts = {"sandbox": "yes" if settings.sandbox else "no", "modules": _modules()}
    page = make_response(render_template("console.html", **facts))
    if settings.sandbox:
        page.headers["X-Sandbox"] = "1"
    return _checked(page)


@console.get("/console/<name>")
@answers(None, media_type=tuple(MEDIA_TYPES.values()), others={304: {}})
def static(name: str) -> Response:
    """A module or a style sheet of the console"""
    path = STATIC / name
    if path.suffix not in MEDIA_TYPES or path.parent != STATIC or not path.is_file():
        raise NotFound()
    packed = bool(request.accept_encodings["gzip"])
    response = Response(_read(path, path.stat().st_mtime_ns, packed))
    response.content_type = f"{MEDIA_TYPES[path.suffix]}; charset=utf-8"
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    return _checked(response)


def _modules() -> list[str]:
    """All at once, instead of one round trip for each floor of imports."""
    return sorted({path.name for path in STATIC.glob("*.js")} - ELSEWHERE)


@functools.lru_cache(maxsize=256)
def _read(path: Path, changed: int, packed: bool) -> bytes:
    """A file as it goes out. Packed, all of them are a third: whoever comes without nginx in
    front waits for no more than that. `changed` is a part of the key."""
    content = path.read_bytes()
    return gzip.compress(content) if packed else content


def _checked(response: Response) -> Response:
    """With an ETag, and without a body where the client has it."""
    response.add_etag()
    response.make_conditional(request)
    return response
