"""Answers and log lines, in the service's usual form, for requests that gunicorn can't read."""

import json
import re
import socket
import time
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import gunicorn.util

from service.fairness import let_others_run
from service.ids import random_hex
from service.observing import attribution

INTEGRATIONS = "/api/integrations"  # the bodies of its errors begin with `success`
UNREAD = "unread"  # in place of a route
START_BYTES = 64  # the first bytes of a request, which contain its address
LINGER_SECONDS = 1.0  # time to read the rest of a request before its connection is closed
LINGER_BYTES = 64 * 1024  # in one read
LINE_BYTES = 8190  # gunicorn's maximum for the first line, because addresses contain filters
MESSAGES = {
    HTTPStatus.BAD_REQUEST: "This is not a valid HTTP request.",
    HTTPStatus.REQUEST_TIMEOUT: "The request did not arrive in time.",
    HTTPStatus.REQUEST_URI_TOO_LONG: (
        f"The address is too long: with its query it may have at most {LINE_BYTES} bytes."
    ),
    HTTPStatus.EXPECTATION_FAILED: "This value of Expect is not supported.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are too long, or too many.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server failed to answer this request.",
    HTTPStatus.NOT_IMPLEMENTED: "This value of Transfer-Encoding is not supported.",
}
SENT_TO = re.compile(rb"(?:\r\n)?[A-Za-z]+ /+api/integrations[/? ]")


def begin(start: bytes) -> None:
    """Give a request that can't be read an id, for its log line and its answer.

    An id that the client has sent is unknown, because it is in a header.
    """
    route = INTEGRATIONS if SENT_TO.match(start) else UNREAD
    attribution.begin(request_id=random_hex(), route=route)


def write_error(sock: Any, status: int, reason: str, _text: str) -> None:
    """Send a JSON error in place of gunicorn's HTML page."""
    facts = attribution.current_facts()
    is_integration = facts.get("route", UNREAD).startswith(INTEGRATIONS)
    if status == HTTPStatus.NOT_IMPLEMENTED:  # a transfer coding that gunicorn does not know
        reason = HTTPStatus.NOT_IMPLEMENTED.phrase
    is_ours = status == HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal_error" if is_ours else "invalid_request"
    success = {"success": False} if is_integration else {}
    details: dict[str, Any] = {"details": {}} if status == HTTPStatus.BAD_REQUEST else {}
    message = MESSAGES.get(HTTPStatus(status), reason)
    body = json.dumps({**success, "error": code, "message": message, **details})
    head = (
        f"HTTP/1.1 {status} {reason}\r\n"
        "Connection: close\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"X-Request-Id: {facts.get('request_id') or random_hex()}\r\n"
    )
    gunicorn.util.write_nonblock(sock, f"{head}\r\n{body}".encode())


def linger(sock: Any) -> None:
    """Read the rest of a refused request, until its client has the answer and closes.

    Closing a connection with unread bytes resets it, and the client may then lose the answer.
    """
    until = time.monotonic() + LINGER_SECONDS
    with suppress(OSError):
        sock.shutdown(socket.SHUT_WR)
        while (seconds := until - time.monotonic()) > 0:
            sock.settimeout(seconds)
            if not sock.recv(LINGER_BYTES):
                return
            let_others_run()  # a client that sends fast would keep the others waiting
