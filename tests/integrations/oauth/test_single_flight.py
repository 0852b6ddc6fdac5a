"""Four processes with 25 callers each and one expired token: one of them refreshes it."""

import json
import signal
import subprocess
import sys
import time
from typing import Any

import gevent
import pytest

from config import ROOT
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.test_refresh import refreshes
from tests.integrations.oauth.user import REFRESH_FAILED
from tests.services import environment, wait_for

PROCESSES, CALLERS = 4, 25
PAUSE = 60  # seconds: a busy machine may need long to begin all the calls


class Callers:
    """Processes of `tests.integrations.oauth.caller`, made once: each takes a second to start."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen] = []

    def open(self, url: str, settings: dict[str, str]) -> None:
        self.processes += [start() for _ in range(PROCESSES - len(self.processes))]
        assert self.do("open_app", url, settings) == [True] * PROCESSES
        self.do("limit", 10, 20, PAUSE)

    def do(self, deed: str, *arguments: Any) -> list[Any]:
        """What each says when it has done it, all at the same time."""
        for process in self.processes:
            begin(process, deed, *arguments)
        return [said(process) for process in self.processes]

    def end(self, processes: list[subprocess.Popen]) -> None:
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=10)
            self.processes.remove(process)


def start() -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.integrations.oauth.caller"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=ROOT, env=environment(""), text=True, **pipes)


def begin(process: subprocess.Popen, deed: str, *arguments: Any) -> None:
    process.stdin.write(json.dumps([deed, *arguments]) + "\n")
    process.stdin.flush()


def said(process: subprocess.Popen) -> Any:
    return json.loads(process.stdout.readline())


@pytest.fixture(scope="module")
def processes():
    made = Callers()
    yield made
    made.end(list(made.processes))


@pytest.fixture
def callers(processes, database_url, configure, app):
    processes.open(database_url, configure)
    yield processes
    processes.do("close_app")


def test_a_rotating_token_is_refreshed_once(callers, expired, provider):
    provider.rotates = True
    told = callers.do("call", expired.person.token, CALLERS)
    answers = [answer for one in told for answer in one["answers"]]
    assert answers == [[200, ""]] * (PROCESSES * CALLERS)
    assert refreshes(provider) == 1
    assert len(provider.asked("api")) == PROCESSES * CALLERS


def test_a_server_slower_than_its_deadline_is_asked_once(callers, connected, provider):
    """Everybody has an answer while the server still hangs; nobody keeps others from working."""
    connected.expire()
    callers.do("limit", 2, 10, PAUSE)
    provider.script("token", hang(60))
    began = time.monotonic()
    told = callers.do("call", connected.person.token, CALLERS)
    assert 2 <= time.monotonic() - began < 60
    answers = [answer for one in told for answer in one["answers"]]
    assert answers == [[502, REFRESH_FAILED["message"]]] * (PROCESSES * CALLERS)
    assert refreshes(provider) == 1
    assert min(one["queries"] for one in told) > 5  # waiting for a refresh takes no connection


def test_when_its_holder_is_killed_another_takes_the_lease_over(callers, expired, provider):
    provider.rotates = True
    callers.do("limit", 1.5, 1.6, PAUSE)
    provider.script("token", hang(60))
    [killed, *others] = callers.processes
    begin(killed, "call", expired.person.token, CALLERS)
    wait_for(lambda: refreshes(provider) == 1)
    held = time.monotonic()
    callers.end([killed])
    for process in others:
        begin(process, "call", expired.person.token, CALLERS)
    answers = [answer for process in others for answer in said(process)["answers"]]
    assert answers == [[200, ""]] * (len(others) * CALLERS)
    assert refreshes(provider) == 2
    assert time.monotonic() - held > 1.4
    assert expired.row["failed_at"] is None


def hang(seconds: float):
    def answer(_seen):
        gevent.sleep(seconds)
        return Reply(200, {"access_token": "at-canary-late"})

    return answer
