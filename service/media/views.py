"""`/api/media`: media that endpoints have made, for the owner or with a link from the owner.

Source: docs/contract.md, section 17.4.
"""

from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, current_app, g, request
from marshmallow import Schema, fields

from service.auth import bearer
from service.media import links
from service.media.conditions import (
    PreconditionFailed,
    RangeNotSatisfiable,
    check_match,
    make_conditional,
)
from service.media.models import MediaItem
from service.media.reader import MediaReader
from service.media.store import MEDIA_STORE, MediaStore, ServedItem
from service.times import timestamp
from service.web.edge import answers, query, refuses, without_body
from service.web.errors import Forbidden, NotFound, Unauthorized, Unavailable
from service.web.other_origins import refuse_opaque_origin, takes_opaque_origin

SHOWN_TYPES = ("image/", "audio/", "video/")  # by browsers, instead of a download
POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'"
SENT = {"schema": {"type": "string"}, "required": True}

media = Blueprint("media", __name__, url_prefix="/api/media")


class LinkQuery(Schema):
    expires = fields.String(load_default="")
    signature = fields.String(load_default="")


class LinkSchema(Schema):
    url = fields.String(required=True)
    expiresAt = fields.AwareDateTime(required=True)


@media.get("/<media_id>")
@takes_opaque_origin
@bearer.public
@bearer.open_to("calls")
@query(LinkQuery())
@refuses(Unauthorized, Forbidden, Unavailable, PreconditionFailed, RangeNotSatisfiable)
@answers(
    None,
    media_type="*/*",
    answer_schema={"type": "string", "format": "binary"},
    others={206: {"*/*": {"type": "string", "format": "binary"}}, 304: {}},
    gives={"Content-Disposition": SENT, "ETag": SENT},
    security=[{"bearer": []}, {}],
)
def content(link: dict[str, str], media_id: str) -> Response:
    """The content of an item, or a range of it

    Without a bearer token, `expires` and `signature` of a link are needed.
    """
    # A widget's frame requests a picture with `Origin: null`. The signed link suffices.
    served = _store().find(media_id) if link["signature"] else None
    if served is None or not _is_signed(served, link):
        refuse_opaque_origin(request)
        bearer.authenticate()
        served = _find_own(media_id)
    return _respond(served)


@media.post("/<media_id>/link")
@bearer.open_to("calls")
@without_body
@answers(LinkSchema())
def link(media_id: str) -> dict[str, Any]:
    """A new link to an item of the caller's own, good for ten minutes without a token"""
    served = _find_own(media_id)
    return {"url": _store().link(served), "expiresAt": timestamp(links.expiry(served.moment))}


def _find_own(media_id: str) -> ServedItem:
    served = _store().find(media_id)
    if served is None or served.item.user_id != g.caller.subject:
        raise NotFound()
    return served


def _is_signed(served: ServedItem, link: dict[str, str]) -> bool:
    item = served.item
    return links.is_valid(
        item.key, item.media_id, link["expires"], link["signature"], served.moment
    )


def _respond(served: ServedItem) -> Response:
    """Return the content, safe to open in a browser: it can run no script in this origin."""
    check_match(request, served.item.media_id)
    item, seconds = served.item, int((served.item.expires_at - served.moment).total_seconds())
    response = Response(MediaReader(_store(), item), content_type=item.media_type)
    response.content_length = item.size
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    seconds = min(seconds, links.LINK_SECONDS)
    response.headers["Cache-Control"] = f"private, max-age={seconds}, immutable"
    response.vary.add("Authorization")
    response.headers["Content-Disposition"] = _disposition(item)
    response.set_etag(item.media_id)
    return make_conditional(response, request, item.media_id, item.size)


def _disposition(item: MediaItem) -> str:
    """Return the content disposition. SVG is downloaded, because it may have scripts."""
    can_script = item.media_type.endswith(("+xml", "/xml", "/svg"))
    is_shown = item.media_type.startswith(SHOWN_TYPES) and not can_script
    kind = "inline" if is_shown else "attachment"
    return f"{kind}; filename*=UTF-8''{quote(item.name)}" if item.name else kind


def _store() -> MediaStore:
    return MEDIA_STORE.of(current_app)
