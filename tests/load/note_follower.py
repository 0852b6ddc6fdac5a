"""A socket that follows a user's notes through nginx, and continues after each cut."""

import json
import random
import ssl
from typing import Any

import gevent
import websocket

from tests.faults.follower import Replay
from tests.load.deployment import Deployment

STAYS = (5, 40)  # seconds after which the client itself closes its connection


class Whole(Replay):
    """A replay that keeps its snapshot in `first`."""

    first: dict[str, dict[str, Any]]

    def take(self, message: dict[str, Any]) -> None:
        super().take(message)
        if message["type"] == "snapshot":
            self.first = dict(self.records)


class Following:
    """`replay` holds every change that has arrived; `wrong` what must not happen."""

    def __init__(self, deployment: Deployment, token: str, dice: random.Random) -> None:
        self.replay = Whole()
        self.cuts = 0
        self.wrong: list[str] = []
        self._deployment, self._token, self._dice = deployment, token, dice
        self._job = gevent.spawn(self._stay)

    def stop(self) -> None:
        self._job.kill()

    def _stay(self) -> None:
        while not self.wrong:
            try:
                self._follow()
            except (OSError, ssl.SSLError, websocket.WebSocketException):
                gevent.sleep(0.2)  # the service is away
            except AssertionError as error:
                self.wrong.append(str(error)[:500])
            self.cuts += 1

    def _follow(self) -> None:
        sock, cursors = self._connect(), self.replay.cursors
        operation = {"op": "subscribe", "id": "s", "collection": "notes"}
        try:
            sock.send(json.dumps({**operation, "cursor": cursors[-1] if cursors else None}))
            with gevent.Timeout(self._dice.uniform(*STAYS), False):
                while text := sock.recv():
                    self._take(json.loads(text))
        finally:
            sock.shutdown()

    def _take(self, message: dict) -> None:
        if message["type"] == "error" and message["error"] == "unavailable":
            raise OSError("the database is away")
        self.replay.take(message)

    def _connect(self) -> websocket.WebSocket:
        sock = self._deployment.nginx.connect()
        try:
            return websocket.create_connection(
                f"ws://127.0.0.1:{self._deployment.nginx.port}/api/records/socket",
                socket=sock,
                subprotocols=["records.v1", f"bearer.{self._token}"],
                suppress_origin=True,
                skip_utf8_validation=True,  # validation in Python is slow
            )
        except (OSError, websocket.WebSocketException):
            sock.close()
            raise
