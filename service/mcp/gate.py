"""Check which requests may reach `/mcp`: their Host, their Origin, and the media types.

A page of another site must not reach a server that its visitor can reach, by any name that it gives
to the server's address. Source:
https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.
"""

from urllib.parse import urlsplit

from werkzeug.datastructures import MIMEAccept

from config import Settings
from service.web.errors import Forbidden, InvalidRequest
from service.web.event_streams import EVENTS
from service.web.origin import LOOPBACK, ORIGIN_REFUSED, public_origin

JSON = "application/json"


def check_host(settings: Settings, host: str) -> None:
    """Raise `Forbidden` for a name that is neither the service's nor a loopback's."""
    if not LOOPBACK.fullmatch(host) and _hostname(f"//{host}") != _hostname(settings.own_url):
        raise Forbidden("This server has another name: see PUBLIC_URL.")


def _hostname(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def check_origin(settings: Settings, origin: str | None) -> None:
    """Raise `Forbidden` for a page of another site. Programs send no origin."""
    if origin is None or origin in (public_origin(settings), *settings.cors_origins):
        return
    scheme, _, host = origin.partition("://")
    if scheme not in ("http", "https") or not LOOPBACK.fullmatch(host):
        raise Forbidden(ORIGIN_REFUSED)


class NotAcceptable(InvalidRequest):
    status = 406
    message = "Answers are JSON: accept `application/json`."


class UnsupportedMediaType(InvalidRequest):
    status = 415
    message = "Messages are JSON: send `application/json`."


FORMS = (NotAcceptable, UnsupportedMediaType)


def check_forms(accept: MIMEAccept, mimetype: str) -> None:
    """Raise `UnsupportedMediaType` or `NotAcceptable`: messages and answers are JSON."""
    if mimetype != JSON:
        raise UnsupportedMediaType()
    if accept.provided and not accept[JSON]:
        raise NotAcceptable()


def takes_events(accept: MIMEAccept) -> bool:
    """Return whether an answer may be a stream of events."""
    return accept.provided and bool(accept[EVENTS])
