"""The headers of the pages that show widgets.

They limit what a page may load and reach, and which pages may frame it. Origins are written out,
because in a document with an opaque origin, WebKit matches nothing with `'self'`.
Source: docs/contract.md, section 12.
"""

import json
from collections.abc import Iterable, Mapping

from service.widgets.template import PERMISSIONS, WidgetTemplate

Policy = Mapping[str, str]

NOTHING = {
    "default-src": "'none'",
    "form-action": "'none'",
    "base-uri": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
EVERY_PAGE = {
    "Cache-Control": "no-cache",  # revalidated by ETag
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def canvas_page(template: WidgetTemplate, origin: str) -> dict[str, str]:
    """Return the headers of a widget in a canvas: an opaque origin, and no network except files.

    `Connection-Allowlist` covers connections that a Content-Security-Policy does not: WebRTC, and
    connections that are opened before a request. Chromium 156 obeys it, other browsers do not know
    it; `frame-guard.js` removes WebRTC in all of them.
    Source: https://wicg.github.io/connection-allowlists/
    """
    own = {"connect-src": "'none'", "frame-ancestors": "'self'"}
    headers = _page(template, {"sandbox": "allow-scripts", **_loads(template, origin), **own})
    reachable = {"Connection-Allowlist": _reachable(template.images)}
    return {**headers, **reachable, "Vary": "Sec-Fetch-Dest"}  # a tab gets another page


def standalone_page(template: WidgetTemplate, origin: str) -> dict[str, str]:
    """Return the headers of a widget's own page: with the service's origin and its API."""
    own = {"connect-src": f"{origin}/api/", "frame-ancestors": "'none'"}
    return _page(template, {**_loads(template, origin), **own})


def developer_page(origin: str) -> dict[str, str]:
    """Return the headers of the page with a stand-in for a canvas."""
    policy = {
        **NOTHING,
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "frame-src": f"{origin}/w/",
        "frame-ancestors": "'none'",
    }
    return {**EVERY_PAGE, "Content-Security-Policy": text(policy), "X-Sandbox": "1"}


def text(policy: Policy) -> str:
    return "; ".join(f"{name} {value}" for name, value in policy.items())


def _page(template: WidgetTemplate, policy: Policy) -> dict[str, str]:
    refused = [f"{name}=()" for name in PERMISSIONS if name not in template.permissions]
    features = {"Permissions-Policy": ", ".join(refused)} if refused else {}
    return {**EVERY_PAGE, **features, "Content-Security-Policy": text(policy)}


def _loads(template: WidgetTemplate, origin: str) -> dict[str, str]:
    """Return the sources of scripts, styles, pictures, sound and video."""
    files = f"{origin}/w/{template.handle}/files/"
    modules = [f"{origin}/browser/shared/", f"{origin}/browser/widgets/", files]
    media = ["data:", f"{origin}/api/media/", *template.images]
    return {
        **NOTHING,
        "script-src": _sources(modules),
        "style-src": _sources(modules),
        "img-src": _sources([*media, files]),
        "media-src": _sources(media),
    }


def _reachable(images: Iterable[str]) -> str:
    """Return the page's own origin and the sources of pictures, as URL patterns.

    A source of a Content-Security-Policy that ends with a slash covers all paths below it.
    """
    patterns = (f"{source}*" if source.endswith("/") else source for source in images)
    return f"({' '.join(['response-origin', *(json.dumps(each) for each in patterns)])})"


def _sources(sources: Iterable[str]) -> str:
    return " ".join(sources)
