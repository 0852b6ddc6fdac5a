"""Subscribers that record their messages and the records that result from them."""

import json
import socket
from contextlib import suppress
from typing import Any

import gevent
import websocket
from gevent.queue import Queue

from tests.records.subscribers import token_of
from tests.services import Service, wait_for

Message = tuple[str, dict[str, Any]]  # action and record


class Replay:
    """The records that result from a snapshot and the changes after it."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.changes: list[Message] = []
        self.cursors: list[str] = []

    def take(self, message: dict[str, Any]) -> None:
        """Apply a message. Fails for a change that can't follow the ones before."""
        if message["type"] == "snapshot":
            assert not self.cursors, "a second snapshot"
            self.records = {record["recordId"]: record for record in message["records"]}
        else:
            assert message["type"] == "change", message
            self._change(message["action"], message["record"])
        self.cursors.append(message["cursor"])

    def _change(self, action: str, record: dict[str, Any]) -> None:
        before = self.records.pop(record["recordId"], None)
        assert (before is None) == (action == "added"), (action, record, before)
        if action != "removed":
            assert before is None or record["updatedAt"] > before["updatedAt"], (before, record)
            self.records[record["recordId"]] = record
        self.changes.append((action, record))


def connect(service: Service, subject: str, room: int = 0, **options: Any) -> websocket.WebSocket:
    """Open a socket as `subject`. `room` limits the kernel's receive buffer."""
    role, seconds = options.pop("role", "user"), options.pop("seconds", 3600)
    sock = socket.socket()
    sock.settimeout(60)
    if room:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    try:
        sock.connect((service.host, service.port))
        return websocket.create_connection(
            f"ws://{service.host}:{service.port}/api/records/socket",
            socket=sock,
            subprotocols=["records.v1", f"bearer.{token_of(service, subject, role, seconds)}"],
            suppress_origin="origin" not in options,
            skip_utf8_validation=True,  # validation in Python is slow
            **options,
        )
    except (OSError, websocket.WebSocketException):
        sock.close()
        raise


class Listener:
    """A socket that is read all the time, with the records of its subscriptions."""

    def __init__(self, service: Service, subject: str, **options: Any) -> None:
        self.sock = connect(service, subject, **options)
        self._replays: dict[Any, Replay] = {}
        self.code: int | None = None  # the close code of the service
        self._answers: Queue[dict[str, Any]] = Queue()
        self._job = gevent.spawn(self._read)

    def send(self, **message: Any) -> None:
        self.sock.send(json.dumps(message))

    def ask(self, **message: Any) -> dict[str, Any]:
        """Send an operation and return its answer, which may arrive among changes."""
        self.send(**message)
        return self._answers.get(timeout=20)

    def subscribe(self, collection: str, id: Any = "s", **more: Any) -> Replay:
        replay = self._replays[id] = Replay()
        self.send(op="subscribe", id=id, collection=collection, **more)
        return replay

    @property
    def answers(self) -> int:
        """The number of answers that nobody waits for."""
        return self._answers.qsize()

    def stop(self) -> None:
        self._job.kill()
        self.sock.shutdown()

    def _read(self) -> None:
        with suppress(OSError, websocket.WebSocketException):
            opcode, data = self.sock.recv_data()
            while opcode != websocket.ABNF.OPCODE_CLOSE:
                self._take(json.loads(data))
                opcode, data = self.sock.recv_data()
            self.code = int.from_bytes(data[:2], "big")

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] in ("snapshot", "change") and message["id"] in self._replays:
            self._replays[message["id"]].take(message)
        else:
            self._answers.put(message)


class Follower:
    """A subscriber that reconnects with its last cursor when the connection ends."""

    def __init__(self, service: Service, subject: str, collection: str = "notes") -> None:
        self.replay = Replay()
        self.cuts = 0
        self._service, self._subject, self._collection = service, subject, collection
        self._job = gevent.spawn(self._stay)
        wait_for(lambda: self.replay.cursors)

    def stop(self) -> None:
        self._job.kill()

    def _stay(self) -> None:
        while True:
            try:
                self._follow(connect(self._service, self._subject))
            except (OSError, websocket.WebSocketException):
                gevent.sleep(0.02)  # the service is not listening yet
            self.cuts += 1

    def _follow(self, sock: websocket.WebSocket) -> None:
        cursors = self.replay.cursors
        operation = {"op": "subscribe", "id": "s", "collection": self._collection}
        try:
            sock.send(json.dumps({**operation, "cursor": cursors[-1] if cursors else None}))
            while text := sock.recv():
                self.replay.take(json.loads(text))
        finally:
            sock.shutdown()
