"""The console: one page at `/` and its modules under `/console/`.

Source: docs/contract.md, section 12.
"""

import functools
import gzip
from pathlib import Path

from flask import Blueprint, Response, current_app, make_response, render_template, request

from config import Settings
from service.web.edge import answers
from service.web.errors import NotFound

console = Blueprint("console", __name__, template_folder="templates")

STATIC = Path(console.root_path) / "static"

# Loaded by the pages that end a consent (service/integrations/templates), not by the console.
CALLBACK_MODULES = {"oauth-callback.js"}

# Not guessed: some machines map .js to text/plain, and browsers then refuse to load modules.
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
    "Cache-Control": "no-cache",  # revalidated by ETag: no module is older than its page
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
    context = {"sandbox": "yes" if settings.sandbox else "no", "modules": _modules()}
    page = make_response(render_template("console.html", **context))
    if settings.sandbox:
        page.headers["X-Sandbox"] = "1"
    return _conditional(page)


@console.get("/console/<name>")
@answers(None, media_type=tuple(MEDIA_TYPES.values()), others={304: {}})
def static(name: str) -> Response:
    """A module or a style sheet of the console"""
    path = STATIC / name
    if path.suffix not in MEDIA_TYPES or path.parent != STATIC or not path.is_file():
        raise NotFound()
    compressed = bool(request.accept_encodings["gzip"])
    response = Response(_content(path, path.stat().st_mtime_ns, compressed))
    response.content_type = f"{MEDIA_TYPES[path.suffix]}; charset=utf-8"
    if compressed:
        response.headers["Content-Encoding"] = "gzip"
    return _conditional(response)


def _modules() -> list[str]:
    """Every module of the console, to be preloaded at once instead of import by import."""
    return sorted({path.name for path in STATIC.glob("*.js")} - CALLBACK_MODULES)


@functools.lru_cache(maxsize=256)
def _content(path: Path, modified_ns: int, compressed: bool) -> bytes:
    """A file's bytes, cached. `modified_ns` is part of the cache key. Compression saves two thirds,
    which matters where no nginx in front compresses."""
    content = path.read_bytes()
    return gzip.compress(content) if compressed else content


def _conditional(response: Response) -> Response:
    """Add an ETag, and answer 304 if the client has this version."""
    response.add_etag()
    response.make_conditional(request)
    return response
