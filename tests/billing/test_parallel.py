"""Several processes use one ledger, and some are killed: no credit is lost or spent twice."""

import json
import signal
from typing import Any

import gevent
import pytest

from service.billing import ledger
from service.billing.models import Allowance, Entry, Hold
from service.billing.payer import Payer
from service.billing.units import CREDIT
from service.database.access import write_transaction
from tests.depth import depth
from tests.forking import Forked, fork_program
from tests.services import environment

PROCESSES = 4


class Spenders:
    """Processes of `tests.billing.spender`, which the tests of this module share."""

    def __init__(self) -> None:
        self.processes: list[Forked] = []
        self.url = ""

    def connect(self, url: str) -> "Spenders":
        """Start the missing processes and let all of them open the database."""
        self.url = url
        self.processes += [
            fork_program("tests.billing.spender", environment(""))
            for _ in range(PROCESSES - len(self.processes))
        ]
        assert self.do("ready") == [True] * PROCESSES
        return self

    def do(self, action: str, *arguments: Any) -> list[Any]:
        """Run an action in all processes at the same time and return their results."""
        self.begin(action, *arguments)
        return self.results()

    def begin(self, action: str, *arguments: Any) -> None:
        for process in self.processes:
            process.stdin.write(json.dumps([self.url, action, *arguments]) + "\n")
            process.stdin.flush()

    def results(self) -> list[Any]:
        return [json.loads(process.stdout.readline()) for process in self.processes]

    def kill(self, count: int) -> None:
        for process in self.processes[:count]:
            process.send_signal(signal.SIGKILL)
            process.wait(10)
        self.processes = self.processes[count:]


@pytest.fixture(scope="module")
def processes():
    spenders = Spenders()
    yield spenders
    spenders.kill(PROCESSES)


@pytest.fixture
def spenders(processes, database_url):
    return processes.connect(database_url)


@pytest.fixture
def size(database_url) -> int:
    """The number of calls, which is lower for SQLite with its one writer at a time."""
    return depth(40 if database_url.startswith("postgresql") else 12)


def test_holds_never_exceed_the_balance(books, spenders, size):
    books.open("alice", size)
    assert sum(spenders.do("reserve", size)) == size
    assert books.has() == (size, size)


def test_a_token_never_spends_more_than_its_limit(books, spenders, size):
    """One token at several workers: what they hold and charge adds up to its limit exactly."""
    books.open("alice", 10 * size)
    assert sum(spenders.do("spend", size, size)) >= size
    [allowance] = books.rows(Allowance)
    assert allowance.spent == books.spent_by("token") <= size * CREDIT


def test_parallel_first_calls_make_one_account(books, spenders, size):
    spenders.do("open_account", size // 4)
    assert books.has("newcomer") == (100, 0)
    assert len(books.rows(Entry, account="newcomer")) == 1


def test_one_of_many_settlements_charges(books, spenders, size):
    books.open("alice", 100)
    hold = books.reserve(10, "a")
    assert sorted(spenders.do("settle", size // 4, hold)) == [0, 0, 0, 1]
    assert books.has() == (99, 0)
    assert books.charges() == [-1]


def test_the_holds_of_killed_processes_are_swept_once(books, spenders):
    books.open("alice", 1_000_000)
    spenders.begin("work")
    assert spenders.results() == ["working"] * PROCESSES
    spenders.kill(2)
    settled = sum(spenders.do("ready"))  # ends the work
    books.wait_until_alone()
    assert books.charges().count(-0.75) == len(books.rows(Hold, state="settled")) >= settled > 0
    books.check()
    left = len(books.rows(Hold, state="open"))
    assert left == sum(spenders.do("sweep")) > 0
    assert books.has()[1] == 0
    assert 0 < books.charges().count(-0.5) <= left


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_sweep_skips_a_hold_that_is_being_settled(books):
    books.open("alice", 100)
    books.open("bob", 100)
    hold = books.reserve(10, "a", seconds=-1)
    books.do(ledger.reserve, Payer("bob", is_owner=False), CREDIT, "b", None, -1)
    with books.app.app_context(), write_transaction() as session:
        ledger.settle(session, hold, CREDIT, "gen-5.4", {})
        assert gevent.spawn(books.sweep).get(timeout=60) == 1
    assert books.has() == (99, 0)


def test_nothing_deadlocks(books, spenders, size):
    spenders.do("trade", size)
    books.check()
    assert {hold.state for hold in books.rows(Hold)} <= {"open", "settled", "swept"}
