"""A small app behind real gunicorn: a socket that does what its client says."""

import gc
import os
from contextlib import suppress

import gevent
import structlog
from flask import Flask, jsonify, request

from service import websocket
from service.frames import Closed, frame
from service.observe import configure_logs
from service.upgrade import Upgraded
from service.websocket import WebSocket

app = Flask(__name__)
log = structlog.get_logger("app")
ended: list[tuple[str, int]] = []  # who learnt of a connection's end, and with which code


def make() -> Flask:
    """The app for gunicorn; the environment may shorten the module's patience."""
    for name in ("PING_SECONDS", "STALL_SECONDS"):
        setattr(websocket, name, float(os.environ.get(name, getattr(websocket, name))))
    configure_logs([])
    return app


@app.get("/ended")
def endings():
    return jsonify(ended)


@app.get("/greenlets")
def greenlets():
    gc.collect()
    alive = (one for one in gc.get_objects() if isinstance(one, gevent.Greenlet) and not one.dead)
    return jsonify(sum(1 for _ in alive))


@app.get("/socket")
@app.get(
    "/socket", websocket=True
)  # to werkzeug a handshake is no plain GET, but a scheme of its own
def opened():
    sock = request.environ["gunicorn.socket"]
    subprotocol = request.args.get("subprotocol")
    try:
        response = Upgraded(sock, request.headers, request.path, subprotocol, session)
    except ValueError as error:
        return jsonify(error=str(error)), 400
    response.call_on_close(lambda: log.info("answered", status=response.status_code))
    return response


def session(connection: WebSocket) -> None:
    """Until "return", or "elsewhere": then another greenlet receives while this one returns."""
    try:
        while (order := connection.receive()) not in ("return", "elsewhere"):
            obey(connection, order)
    except Closed as end:
        ended.append(("receiver", end.code))
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
        ended.append(("writer", end.code))


def message(name: str, number: int, size: int) -> bytes:
    """A text of `size` bytes that is like no other, for the client to compare with."""
    head = f"{name}{number}:".encode()
    return head + bytes([97 + number % 26]) * (size - len(head))
