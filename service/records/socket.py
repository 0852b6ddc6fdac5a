"""`GET /api/records/socket`: the upgrade to a WebSocket, refused in plain JSON where it must be.

Source: contract section 7.
"""

import time
from collections import Counter
from urllib.parse import urlsplit

import gevent
from flask import Blueprint, Flask, Response, current_app, g, request

from config import Settings
from service.edge import answers, refuses
from service.errors import Draining, Forbidden, InvalidRequest, NotFound, RateLimited
from service.records import operations
from service.records.feed import Feed
from service.records.line import Lines
from service.records.live import Live
from service.upgrade import Upgraded
from service.websocket import WebSocket

PROTOCOL = "records.v1"
SOCKETS = 20  # of one user, in one worker
RATE, BURST = 20.0, 100.0  # operations a second, and at once
VERSION = "13"  # of the protocol
LOOPBACK = ("127.0.0.1", "localhost", "::1")

socket = Blueprint("socket", __name__, url_prefix="/api/records")


class UnknownVersion(InvalidRequest):
    """Says which one we speak (RFC 6455, 4.4)."""

    status = 426
    message = f"This server speaks version {VERSION} of WebSocket."
    headers = {"Upgrade": "websocket", "Sec-WebSocket-Version": VERSION}


@socket.get("/socket", websocket=True)
@refuses(Forbidden, UnknownVersion, RateLimited, Draining, NotFound)
@answers(None, 101, empty=True)
def open_socket() -> Response:
    """Open the real-time socket, a WebSocket with the subprotocol `records.v1`

    A browser, which can't set headers there, offers the bearer token as a second subprotocol,
    `bearer.<token>`.
    """
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    _check(app)
    caller, expires = g.caller, g.expires

    def session(connection: WebSocket) -> None:
        _serve(app, Live(app, caller, expires, connection), connection)

    offered = request.headers.get("Sec-WebSocket-Protocol", "")
    protocol = PROTOCOL if PROTOCOL in map(str.strip, offered.split(",")) else None
    # gunicorn's own connection; other servers have none to upgrade
    sock = request.environ.get("gunicorn.socket")
    if sock is None:
        raise InvalidRequest("This server can't open a WebSocket.", details={})
    try:
        upgraded = Upgraded(sock, request.headers, request.path, protocol, session)
    except ValueError:
        raise InvalidRequest("This address takes only WebSocket upgrades.", details={}) from None
    _count(app.extensions["sockets"], caller.subject, upgraded)
    return upgraded


def _check(app: Flask) -> None:
    if app.extensions["lifecycle"].draining:
        raise Draining()
    if request.headers.get("Sec-WebSocket-Version", VERSION) != VERSION:
        raise UnknownVersion()
    origin = request.headers.get("Origin")
    if origin is not None and not _allowed(origin, app.config["SETTINGS"]):
        raise Forbidden("This origin may not connect here.")
    if app.extensions["sockets"][g.caller.subject] >= SOCKETS:
        raise RateLimited(f"A user has at most {SOCKETS} sockets at a time.")


def _count(sockets: Counter[str], subject: str, upgraded: Upgraded) -> None:
    """From before the upgrade, for others may ask while it is made, until the session is over."""

    def leave() -> None:
        sockets[subject] -= 1
        if not sockets[subject]:
            del sockets[subject]

    sockets[subject] += 1
    upgraded.call_on_close(leave)


def _allowed(origin: str, settings: Settings) -> bool:
    """Our own origin, or one that `CORS_ORIGINS` names; on loopback, by whatever name."""
    own = urlsplit(settings.own_url)
    allowed = {f"{own.scheme}://{own.netloc}", *settings.cors_origins}
    if urlsplit(f"//{request.host}").hostname in LOOPBACK:
        allowed.add(f"{request.scheme}://{request.host}")
    return origin in allowed


def _serve(app: Flask, live: Live, connection: WebSocket) -> None:
    """Until the connection is over; raises `Closed` then."""
    with app.app_context():
        writer = live.begin()
    pace = Pace()
    try:
        while True:
            text = connection.receive()
            pace.wait()
            with app.app_context():
                operations.answer(live, app.extensions["collections"], text)
    finally:
        live.end()
        writer.kill()


class Pace:
    """Who sends faster than `RATE` is read at that rate."""

    def __init__(self) -> None:
        self._allowance, self._counted = BURST, time.monotonic()

    def wait(self) -> None:
        now = time.monotonic()
        earned = (now - self._counted) * RATE
        self._allowance, self._counted = min(BURST, self._allowance + earned) - 1, now
        if self._allowance < 0:
            gevent.sleep(-self._allowance / RATE)


def init_app(app: Flask) -> None:
    """This worker's feed, how many sockets each user has, whose snapshot is being read, and the end
    of these."""
    app.extensions["sockets"] = Counter()
    app.extensions["snapshots"] = Lines()
    feed = app.extensions["feed"] = Feed(app)
    app.extensions["lifecycle"].on_drain(lambda _grace: feed.restart())
