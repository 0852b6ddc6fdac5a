"""A small app for a real gunicorn, whose socket obeys the messages of its client."""

import gc
import os
from contextlib import suppress

import gevent
import structlog
from flask import Flask, jsonify, request

from service.observing.logs import configure_logs
from service.websockets import websocket
from service.websockets.frames import Closed, frame
from service.websockets.upgrade import WebSocketResponse
from service.websockets.websocket import WebSocket

app = Flask(__name__)
log = structlog.get_logger("app")
endings: list[tuple[str, int]] = []  # who noticed the end of a connection, and its code


def make() -> Flask:
    """Return the app for gunicorn. The environment may change the timeouts."""
    for name in ("PING_SECONDS", "STALL_SECONDS"):
        setattr(websocket, name, float(os.environ.get(name, getattr(websocket, name))))
    configure_logs([])
    return app


@app.get("/ended")
def show_endings():
    return jsonify(endings)


@app.get("/greenlets")
def greenlets():
    gc.collect()
    alive = (one for one in gc.get_objects() if isinstance(one, gevent.Greenlet) and not one.dead)
    return jsonify(sum(1 for _ in alive))


@app.get("/socket")
@app.get("/socket", websocket=True)  # werkzeug distinguishes handshakes from other requests
def open_socket():
    sock = request.environ["gunicorn.socket"]
    subprotocol = request.args.get("subprotocol")
    try:
        response = WebSocketResponse(sock, request.headers, request.path, subprotocol, session)
    except ValueError as error:
        return jsonify(error=str(error)), 400
    response.call_on_close(lambda: log.info("answered", status=response.status_code))
    return response


def session(connection: WebSocket) -> None:
    """Obey messages until "return", or "elsewhere", which continues in another greenlet."""
    try:
        while (order := connection.receive()) not in ("return", "elsewhere"):
            obey(connection, order)
    except Closed as end:
        endings.append(("receiver", end.code))
        raise
    if order == "elsewhere":
        gevent.spawn(session_elsewhere, connection)
        gevent.sleep(0)


def session_elsewhere(connection: WebSocket) -> None:
    with suppress(Closed):
        session(connection)


def obey(connection: WebSocket, order: str) -> None:
    match order.split(" "):
        case "send", count, size:
            send_all(connection, "", int(count), int(size))
        case "spawn", writers, count, size:
            for writer in range(int(writers)):
                gevent.spawn(send_all, connection, f"{writer}-", int(count), int(size))
        case "batch", count:
            connection.send(*map(str, range(int(count))))
        case "close", code:
            connection.close(int(code), "as asked")
        case ["kill"]:
            writer = gevent.spawn(send_all, connection, "", 1, 50_000_000)
            gevent.sleep(0)
            writer.kill()
        case "leave", code:
            gevent.spawn(connection.close, int(code))
        case ["fail"]:
            raise RuntimeError("as asked")
        case _:
            connection.send(order)


def send_all(connection: WebSocket, name: str, count: int, size: int) -> None:
    try:
        for number in range(count):
            connection.send_frames(frame(message(name, number, size)))
    except Closed as end:
        endings.append(("writer", end.code))


def message(name: str, number: int, size: int) -> bytes:
    """Return a text of `size` bytes, different for each number, which the client compares."""
    head = f"{name}{number}:".encode()
    return head + bytes([97 + number % 26]) * (size - len(head))
