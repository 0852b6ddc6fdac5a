"""`GET /api/records/socket`: the upgrade to a WebSocket. A refusal is JSON.

Source: docs/contract.md, section 7.
"""

import time

import gevent
from flask import Blueprint, Flask, Response, g, request

from config import Settings
from service.app_keys import APP_SETTINGS
from service.current_request import current_service
from service.lifecycle import LIFECYCLE
from service.limits.concurrency import CONCURRENCY
from service.observing import measures
from service.observing.sampler import SAMPLER
from service.records import socket_operations
from service.records.collection import APP_COLLECTIONS
from service.records.feed import FEED, RESTART, Feed
from service.records.queues import SNAPSHOT_QUEUES, Queues
from service.records.session import SocketSession
from service.records.socket_balancing import SocketSpread
from service.web.edge import answers, refuses
from service.web.errors import Draining, Forbidden, InvalidRequest, NotFound, RateLimited
from service.web.origin import ORIGIN_REFUSED, own_origin, public_origin
from service.websockets.upgrade import WebSocketResponse
from service.websockets.websocket import WebSocket

PROTOCOL = "records.v1"
RESTARTS = "the server restarts"
RATE, BURST = 20.0, 100.0  # operations per second, and in a burst
VERSION = "13"  # of the WebSocket protocol

socket = Blueprint("socket", __name__, url_prefix="/api/records")


class UpgradeRequired(InvalidRequest):
    """The request asks for no WebSocket, or for another version of the protocol.

    Source: RFC 9110, section 15.5.22; RFC 6455, section 4.4.
    """

    status = 426
    message = (
        "This address opens a WebSocket, but the request has no `Upgrade: websocket`. "
        "A proxy in between may have removed it."
    )
    headers = {"Upgrade": "websocket", "Sec-WebSocket-Version": VERSION}


@socket.get("/socket")
@socket.get("/socket", websocket=True)
@refuses(Forbidden, UpgradeRequired, RateLimited, Draining, NotFound)
@answers(None, 101, empty=True)
def open_socket() -> Response:
    """Open the real-time socket, a WebSocket with the subprotocol `records.v1`

    A browser can't set headers here, and sends the bearer token as a second subprotocol,
    `bearer.<token>`.
    """
    app = current_service()
    _check(app)
    caller, expires = g.caller, g.expires

    def session(connection: WebSocket) -> None:
        _serve(app, SocketSession(app, caller, expires, connection), connection)

    protocols = request.headers.get("Sec-WebSocket-Protocol", "")
    protocol = PROTOCOL if PROTOCOL in map(str.strip, protocols.split(",")) else None
    sock = request.environ.get("gunicorn.socket")  # missing with other servers
    if sock is None:
        raise InvalidRequest("This server can't open a WebSocket.", details={})
    try:
        response = WebSocketResponse(sock, request.headers, request.path, protocol, session)
    except ValueError:
        raise InvalidRequest("This route accepts only WebSocket upgrades.", details={}) from None
    # It counts before the upgrade, because other requests may arrive meanwhile.
    ticket = CONCURRENCY.of(app).take("sockets", caller.subject)
    response.call_on_close(ticket.free)
    return response


def _check(app: Flask) -> None:
    if request.url_rule and not request.url_rule.websocket:
        raise UpgradeRequired()
    if LIFECYCLE.of(app).draining:
        raise Draining()
    if request.headers.get("Sec-WebSocket-Version", VERSION) != VERSION:
        raise UpgradeRequired(f"This server supports version {VERSION} of WebSocket.")
    origin = request.headers.get("Origin")
    if origin is not None and not _is_allowed(origin, APP_SETTINGS.of(app)):
        raise Forbidden(ORIGIN_REFUSED)


def _is_allowed(origin: str, settings: Settings) -> bool:
    """Return whether an origin is ours or in `CORS_ORIGINS`. On loopback, any own name counts."""
    own = own_origin(settings, request.scheme, request.host)
    return origin in {own, public_origin(settings), *settings.cors_origins}


def _serve(app: Flask, session: SocketSession, connection: WebSocket) -> None:
    """Serve operations until the connection ends, which raises `Closed`."""
    with app.app_context():
        session.begin()
    throttle = Throttle()
    try:
        if LIFECYCLE.of(app).draining:  # begun since the check
            connection.close(RESTART, RESTARTS)
        while True:
            text = connection.receive()
            with session.asking:
                throttle.wait()
                with app.app_context():
                    socket_operations.answer(session, APP_COLLECTIONS.of(app), text)
    finally:
        session.end()


class Throttle:
    """Limit the operations of a connection to `RATE`, after bursts of at most `BURST`."""

    def __init__(self) -> None:
        self._allowance, self._updated_at = BURST, time.monotonic()

    def wait(self) -> None:
        now = time.monotonic()
        gain = (now - self._updated_at) * RATE
        self._allowance, self._updated_at = min(BURST, self._allowance + gain) - 1, now
        if self._allowance < 0:
            gevent.sleep(-self._allowance / RATE)


def init_app(app: Flask) -> None:
    """Set up this worker's feed, its queues of snapshots, and their end."""
    SNAPSHOT_QUEUES.set(app, Queues())
    feed = FEED.set(app, Feed(app))
    app.extensions["socket_spread"] = SocketSpread(app)
    LIFECYCLE.of(app).on_drain(lambda _grace: feed.close_all(RESTART, RESTARTS))
    sampler = SAMPLER.of(app)
    sampler.add(measures.SOCKETS, lambda: CONCURRENCY.of(app).count("sockets"))
    sampler.add(measures.FEED_UNREAD, lambda: feed.unread_seconds)
