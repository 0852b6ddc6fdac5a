"""`systemctl reload` as the unit does it: new code and settings, and nobody is refused."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from uuid import uuid4

import gevent
import pytest
import requests

from config import ROOT
from service.auth.tokens import issue
from tests.faults.client import Client
from tests.faults.unit import Unit
from tests.services import environment, free_port, settings_for, wait_for
from tests.starting import FreshCopy

SETTING = "    sandbox: bool = setting(switch, False)\n"


@pytest.fixture
def unit(model, databases, tmp_path):
    """The unit, running from a copy of the tree, with the raw model as provider A."""
    tree = FreshCopy(tmp_path / "tree").place
    provider = {"PROVIDER_A_BASE_URL": model.url, "PROVIDER_A_API_KEY": "key"}
    made = environment(databases.make("sqlite"), PORT=free_port(), **provider)
    running = Unit(tree, tmp_path, made)
    yield running.start()
    running.stop()


def release(unit: Unit) -> None:
    """A new release in the same place: it has a setting more, which gunicorn.conf.py reads too,
    and answers something new."""
    change(unit, "config.py", SETTING, f"{SETTING}    greeting: str | None = setting(text)\n")
    change(unit, "gunicorn.conf.py", "bind = ", "settings.greeting.upper()\nbind = ")
    new = '{"status": current_app.config["SETTINGS"].greeting}'
    change(unit, "service/operations.py", '{"status": "ok"}\n', f"{new}\n")


def change(unit: Unit, name: str, old: str, new: str) -> None:
    path = unit.tree / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def client_of(unit: Unit) -> Client:
    settings = settings_for(unit.settings["DATABASE_URL"])
    return Client(int(unit.settings["PORT"]), issue(settings, "alice", "user", 3600))


class Probes:
    """Requests without a pause, on new connections and on kept ones, and turns; what they saw."""

    def __init__(self, unit: Unit) -> None:
        self.client = client_of(unit)
        self.url = f"http://127.0.0.1:{self.client.port}"
        self.headers = {"Authorization": f"Bearer {self.client.token}"}
        self.seen: list[str] = []
        self.failed: list[str] = []
        self.turns = 0
        self.ended = False

    @contextmanager
    def going(self):
        kept = requests.Session()
        tries = (self.new_connection, lambda: self.status(kept), lambda: self.turn(kept))
        greenlets = [gevent.spawn(self.repeat, each) for each in tries]
        yield self
        self.ended = True  # not killed: half-made connections would stay open
        gevent.joinall(greenlets, timeout=60)
        kept.close()

    def repeat(self, attempt) -> None:
        while not self.ended:
            try:
                attempt()
            except (OSError, requests.RequestException, AssertionError) as error:
                self.failed.append(repr(error))
            gevent.sleep(0.02)

    def new_connection(self) -> None:
        self.seen.append(self.new_status())

    def new_status(self) -> str:
        with socket.create_connection(("127.0.0.1", self.client.port), timeout=30) as sock:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            with sock.makefile("rb") as answer:
                return json.loads(answer.read().partition(b"\r\n\r\n")[2])["status"]

    def status(self, session) -> None:
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


def test_a_reload_brings_code_and_settings_and_refuses_nobody(unit):
    old, client = unit.main, client_of(unit)
    running = client.ask(client.new_chat(), "words=150 rate=10", "u")
    running.read_until(b"text-delta", 2)
    release(unit)
    unit.settings["GREETING"] = "good morning"
    with Probes(unit).going() as probes:
        wait_for(lambda: probes.turns > 2 and "ok" in probes.seen)
        assert unit.reload(), unit.journal
        assert unit.main != old
        wait_for(lambda: not unit.runs(old), 40)
        before = len(probes.seen)
        wait_for(lambda: len(probes.seen) > before + 5)
    print(f"{len(probes.seen)} probes and {probes.turns} turns")
    assert not probes.failed, probes.failed
    assert set(probes.seen[before:]) == {"good morning"}
    assert running.chunks[-1]["type"] == "finish"


def test_a_second_reload_works_as_the_first_and_a_stop_ends_it_all(unit):
    first = unit.main
    assert unit.reload(), unit.journal
    second = unit.main
    assert unit.reload(), unit.journal
    assert len({first, second, unit.main}) == 3
    wait_for(lambda: not unit.runs(first) and not unit.runs(second), 40)
    assert requests.get(f"http://127.0.0.1:{unit.settings['PORT']}/readyz", timeout=10).ok
    unit.stop()
    assert not unit.processes()


@pytest.mark.parametrize("fault", ["setting", "import", "boot"])
def test_a_release_that_does_not_start_leaves_the_running_one_alone(unit, fault):
    old = unit.main
    if fault == "setting":
        unit.settings["WEB_CONCURRENCY"] = "many"
    elif fault == "import":
        change(unit, "service/operations.py", "import select, update\n", "import select, nothing\n")
    else:  # only a worker takes the owner's token
        unit.settings["OWNER_TOKEN"] = "no token"
    with Probes(unit).going() as probes:
        assert not unit.reload()
        assert unit.main == old
        assert unit.runs(old)
        wait_for(lambda: probes.turns > 2)
    assert not probes.failed, probes.failed
    if fault == "boot":
        assert "Error: the new service did not start" in unit.journal


def test_a_worker_that_dies_while_the_tree_is_replaced_starts_as_before(unit):
    wait_for(lambda: Probes(unit).new_status() == "ok", 30)  # the master is ready before a worker
    release(unit)
    worker = next(pid for pid in unit.processes() if unit.parent_of(pid) == unit.main)
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: not unit.runs(worker))
    wait_for(lambda: Probes(unit).new_status() == "ok", 30)


def test_a_new_address_is_taken_up_by_a_reload(unit):
    before, after = unit.settings["PORT"], str(free_port())
    unit.settings["PORT"] = after
    assert unit.reload(), unit.journal
    assert requests.get(f"http://127.0.0.1:{after}/readyz", timeout=10).ok

    def refused() -> bool:
        with socket.socket() as sock:
            return sock.connect_ex(("127.0.0.1", int(before))) != 0

    wait_for(refused, 40)


def test_a_master_that_cannot_hand_over_is_not_signalled(tmp_path):
    """As the one of a release before reloads were made in this way: it must be restarted once."""
    sleeping = subprocess.Popen(["sleep", "60"])  # SIGUSR2 would end it
    done = subprocess.run(
        [sys.executable, "-m", "serving.reload", str(sleeping.pid), "true"],
        cwd=ROOT, env={"RUNTIME_DIRECTORY": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    alive = sleeping.poll() is None
    sleeping.kill()
    sleeping.wait()
    assert (alive, done.returncode) == (True, 1)
    assert "restart it once" in done.stderr
