"""Requests to a unit that go on while it is reloaded or replaced, and changes of its code."""

import json
import socket
import time
from contextlib import contextmanager
from uuid import uuid4

import gevent
import requests

from service.auth.tokens import issue
from tests.faults.client import Client
from tests.faults.machine import Machine
from tests.faults.unit import Unit
from tests.services import settings_for


def change(unit: Unit | Machine, name: str, old: str, new: str) -> None:
    path = unit.tree / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def client_of(unit: Unit | Machine) -> Client:
    settings = settings_for(unit.settings["DATABASE_URL"])
    return Client(int(unit.settings["PORT"]), issue(settings, "alice", "user", 3600))


class Probes:
    """Continuous requests on new and on kept connections, and turns, with their answers."""

    def __init__(self, unit: Unit | Machine) -> None:
        self.client = client_of(unit)
        self.url = f"http://127.0.0.1:{self.client.port}"
        self.headers = {"Authorization": f"Bearer {self.client.token}"}
        self.seen: list[str] = []
        self.failed: list[str] = []
        self.turns = 0
        self.ended = False

    @contextmanager
    def going(self, pauses: tuple[float, float, float] = (0.04, 0.3, 0.5)):
        """`pauses` are between new connections, checks of the database, and turns. A turn takes as
        long as thirty connections, and a check as long as five."""
        kept = requests.Session()
        tries = (self.new_connection, lambda: self.status(kept), lambda: self.turn(kept))
        greenlets = [gevent.spawn(self.repeat, *each) for each in zip(tries, pauses, strict=True)]
        yield self
        self.ended = True  # not killed, because unfinished connections would stay open
        gevent.joinall(greenlets, timeout=60)
        kept.close()

    def repeat(self, attempt, pause: float) -> None:
        """Pause as long as an attempt takes, or longer: a busy machine must do more than this."""
        while not self.ended:
            began = time.monotonic()
            try:
                attempt()
            except (OSError, requests.RequestException, AssertionError) as error:
                self.failed.append(repr(error))
            gevent.sleep(max(pause, time.monotonic() - began))

    def new_connection(self) -> None:
        self.seen.append(self.new_status())

    def new_status(self) -> str:
        with socket.create_connection(("127.0.0.1", self.client.port), timeout=30) as sock:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            with sock.makefile("rb") as answer:
                return json.loads(answer.read().partition(b"\r\n\r\n")[2])["status"]

    def status(self, session) -> None:
        """As a balancer, which takes no host out for a database that was slow once: the check has
        1.5 seconds, also on a machine that is busy with other tests."""
        answer = session.get(f"{self.url}/readyz", timeout=30)
        if answer.status_code == 503 and answer.json().get("database") is False:
            answer = session.get(f"{self.url}/readyz", timeout=30)
        assert answer.status_code == 200, answer.text

    def turn(self, session) -> None:
        made = session.post(f"{self.url}/api/ai/chats", headers=self.headers, json={}, timeout=30)
        body = {"chatId": made.json()["chat"]["recordId"], "userMessageId": uuid4().hex}
        body["content"] = "hello"
        answer = session.post(
            f"{self.url}/api/ai/chat", headers=self.headers, json=body, timeout=30
        )
        assert '"type":"finish"' in answer.text, answer.text
        self.turns += 1
