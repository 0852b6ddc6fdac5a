"""Four processes with 15 callers each and one expired token: one of them refreshes it."""

import json
import signal
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from gevent.event import Event

from service.times import now
from tests.forking import Forked, fork_program
from tests.integrations.oauth.user import REFRESH_FAILED
from tests.services import environment, wait_for

PROCESSES, CALLERS = 4, 15  # more than the ten connections of a process
# Seconds. No test waits for these: a busy machine may take long to begin all the calls.
DEADLINE, LEASE, PAUSE = 60, 90, 60
PATIENCE = 60


class Callers:
    """Processes of `tests.integrations.oauth.caller`, which the tests of this module share."""

    def __init__(self) -> None:
        self.processes: list[Forked] = []

    def open(self, url: str, settings: dict[str, str]) -> None:
        self.processes += [start() for _ in range(PROCESSES - len(self.processes))]
        assert self.do("open_app", url, settings) == [True] * PROCESSES
        self.do("limit", DEADLINE, LEASE, PAUSE)

    def do(self, deed: str, *arguments: Any) -> list[Any]:
        """What each says when it has done it, all at the same time."""
        for process in self.processes:
            begin(process, deed, *arguments)
        return [said(process) for process in self.processes]

    def end(self, processes: list[Forked]) -> None:
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.wait(10)
            self.processes.remove(process)


def start() -> Forked:
    return fork_program("tests.integrations.oauth.caller", environment(""))


def begin(process: Forked, deed: str, *arguments: Any) -> None:
    process.stdin.write(json.dumps([deed, *arguments]) + "\n")
    process.stdin.flush()


def said(process: Forked) -> Any:
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
    """Those who wait for the refresh keep no connection from others, however long it takes."""
    provider.rotates, hold = True, Event()
    provider.script("token", lambda _seen: hold.wait() and None)
    callers.do("begin_calls", expired.person.token, CALLERS)
    wait_for(lambda: provider.refresh_count == 1, PATIENCE)
    wait_for(lambda: min(callers.do("count_queries")) > 5, PATIENCE)
    hold.set()
    assert answers(callers.do("end_calls")) == [[200, ""]] * (PROCESSES * CALLERS)
    assert provider.refresh_count == 1
    assert len(provider.asked("api")) == PROCESSES * CALLERS


def test_a_server_slower_than_its_deadline_is_asked_once(callers, connected, provider):
    """Everybody has an answer while the server still hangs."""
    connected.expire()
    callers.do("limit", 2, LEASE, PAUSE)
    hold = Event()
    provider.script("token", lambda _seen: hold.wait() and None)
    told = answers(callers.do("call", connected.person.token, CALLERS))
    assert told == [[502, REFRESH_FAILED["message"]]] * (PROCESSES * CALLERS)
    assert provider.refresh_count <= 1  # none if a busy machine has spent the deadline before
    hold.set()


def test_when_its_holder_is_killed_another_takes_the_lease_over(callers, expired, provider):
    provider.rotates, hold = True, Event()
    provider.script("token", lambda _seen: hold.wait() and None)
    begin(callers.processes[0], "begin_calls", expired.person.token, CALLERS)
    wait_for(lambda: provider.refresh_count == 1, PATIENCE)
    callers.end(callers.processes[:1])
    callers.do("begin_calls", expired.person.token, CALLERS)
    wait_for(lambda: min(callers.do("count_queries")) > 5, PATIENCE)
    assert provider.refresh_count == 1, "the lease is in force"
    expired.change(lease_until=now() - timedelta(seconds=1))
    told = answers(callers.do("end_calls"))
    assert told == [[200, ""]] * ((PROCESSES - 1) * CALLERS)
    assert provider.refresh_count == 2
    assert expired.row["failed_at"] is None


def answers(told: list[list[Any]]) -> list[Any]:
    """Those of all processes."""
    return list(chain.from_iterable(told))
