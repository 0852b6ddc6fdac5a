"""The console: one page at `/`, whose modules are in `service/browser/console/`.

Source: docs/contract.md, section 12.
"""

from flask import Blueprint, Response, current_app, make_response, render_template, request

from service.app_keys import APP_SETTINGS
from service.browser.files import modules_of
from service.browser.versions import version
from service.console.sign_in import sign_in_state
from service.web.conditional import conditional
from service.web.edge import answers
from service.web.origin import own_origin

console = Blueprint("console", __name__, template_folder="templates")

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    # The hosts of pictures in vendors' answers can't be listed. The explorer loads such pictures
    # when the user asks for it.
    "img-src": "'self' data: https:",
    "media-src": "'self'",
    "connect-src": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
# The modules that the first chat with messages imports after the page has loaded.
OF_MESSAGES = ("shared/markdown-region.js", "chat/message-controls.js")
HEADERS = {
    "Cache-Control": "no-cache",  # revalidated by ETag
    # A page that opens the console gets no reference to its window. The console keeps references to
    # the windows that it opens: a consent ends with a message from such a window.
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@console.after_request
def secure(response: Response) -> Response:
    """Set the headers. Frames may show only widgets: a frame can't open another page."""
    origin = own_origin(APP_SETTINGS.of(current_app), request.scheme, request.host)
    policy = {**POLICY, "frame-src": f"{origin}/w/"}
    sources = "; ".join(f"{name} {value}" for name, value in policy.items())
    response.headers.update({**HEADERS, "Content-Security-Policy": sources})
    return response


@console.get("/")
@answers(None, others={304: {}})
def index() -> Response:
    """Show the console to people who open the service in a browser"""
    settings = APP_SETTINGS.of(current_app)
    has_provider, has_session = sign_in_state()
    modules = modules_of("console/console.js")
    context = {
        "sandbox": _yes(settings.sandbox),
        "sign_in": _yes(has_provider),
        "session": _yes(has_session),
        "files": f"/browser/{version()}",
        # Preloaded together, instead of import by import.
        "modules": modules,
        "later": sorted({name for late in OF_MESSAGES for name in modules_of(late)} - {*modules}),
    }
    page = make_response(render_template("console.html", **context))
    if settings.sandbox:
        page.headers["X-Sandbox"] = "1"
    return conditional(page, request)


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
