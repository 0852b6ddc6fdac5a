"""A process is killed before and after each message that it sends to the database.

Afterwards another process sweeps, and everything is sent again with the same ids and keys.
"""

import json
import os
import signal
import subprocess
import sys
from itertools import count

import gevent
import psycopg
import pytest
from gevent.fileobject import FileObject

from config import ROOT
from service.billing.prices import CREDIT
from tests.depth import DEPTH
from tests.faults.stepping import SteppingProxy
from tests.load import stored
from tests.load.upstream import Model, Vendor
from tests.services import environment

STRIDE = max(1, 6 // DEPTH)  # of the messages: at depth 1 every sixth
PRICE = int(0.35 * CREDIT)
LAPSE = (
    "UPDATE leases SET expires_at = now() - interval '1 second'",
    "UPDATE holds SET expires_at = now() - interval '1 second' WHERE state = 'open'",
    "UPDATE idempotency_keys SET held_until = now() - interval '1 second' WHERE answer IS NULL",
)


class Forks:
    """Processes of tests/faults/mortal.py; each is killed where its proxy has stopped it."""

    def __init__(self, proxy, settings):
        command = [sys.executable, "-m", "tests.faults.mortal"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, cwd=ROOT, env=settings, **pipes)
        self._answers = FileObject(self._process.stdout, "rb")  # lets the proxy work meanwhile
        self._proxy = proxy
        self._send(settings)

    def run(self, action, *arguments, number=0, after=False):
        """What the fork has to say; None if it was killed."""
        self._proxy.arm(number, after)
        self._send([action, arguments])
        with gevent.Timeout(60):
            pid = int(self._answers.readline())
        said = gevent.spawn(self._answers.readline)
        gevent.wait([said, self._proxy.reached], timeout=60, count=1)
        if self._proxy.reached.is_set():
            os.kill(pid, signal.SIGKILL)
        return json.loads(said.get(timeout=60))

    @property
    def messages(self):
        """How many the last fork has sent."""
        return self._proxy.count

    def stop(self):
        self._process.stdin.close()
        self._process.wait(20)
        self._answers.close()

    def _send(self, value):
        self._process.stdin.write(json.dumps(value).encode() + b"\n")
        self._process.stdin.flush()


@pytest.fixture
def upstreams():
    model, vendor = Model(), Vendor(0)
    yield model, vendor
    model.stop()
    vendor.stop()


@pytest.fixture
def url(databases):
    made = databases.make("postgresql")
    yield made
    databases.give_back(made)


@pytest.fixture
def forks(databases, url, upstreams):
    model, vendor = upstreams
    proxy = SteppingProxy(databases.cluster.directory)
    values = {"PROVIDER_A_BASE_URL": model.url, "PROVIDER_A_API_KEY": "key"}
    values |= {"EXA_BASE_URL": vendor.url, "EXA_API_KEY": "key"}
    proxied = url.replace(databases.cluster.directory, proxy.directory)
    made = Forks(proxy, environment(proxied, **values))
    yield made
    made.stop()
    proxy.stop()


def killed_everywhere(forks, action, arguments_of):
    """Do the work with each message as its last, before and after it; returns all works."""
    works = []
    for number in count(1, STRIDE):
        for after in (False, True):
            works.append((action, arguments_of(len(works))))
            forks.run(action, *works[-1][1], number=number, after=after)
            if forks.messages < number:  # it was not killed
                return works
    raise AssertionError("unreachable")


def recovered(forks, url, works):
    """Let the leases of the dead lapse, sweep, and send everything again."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        for statement in LAPSE:
            connection.execute(statement)
        lost = [row[0] for row in connection.execute("SELECT lease_id FROM leases")]
    forks.run("sweep", lost)
    return forks.run("again", works)


def test_a_turn_killed_at_any_message_writes_and_pays_once(forks, url, upstreams):
    chats = forks.run("prepare", 20 + 200 // STRIDE)
    works = killed_everywhere(forks, "turn", lambda n: (f"user-{n}", chats[n], f"note-{n}"))
    before = stored.read(url)
    answers = recovered(forks, url, works)
    print(f"{len(works)} kills")
    assert {rows_of(before, chat) for chat in chats} == {(0, 0), (2, 1)}
    assert answers == [[200, ["finish"]]] * len(works)
    found = stored.read(url)
    assert {rows_of(found, chat) for _, (_, chat, _) in works} == {(2, 1)}
    assert [len(found.titles[note]) for _, (*_, note) in works] == [1] * len(works)
    assert len(found["journal"]) == len(works)
    assert found["claims"] == []
    check_sums(found)


def rows_of(found, chat):
    """How many messages and turns a chat has."""
    return tuple(
        sum(row["chat_id"] == chat for row in found[table]) for table in ("messages", "turns")
    )


def check_sums(found):
    """Nothing is held, and each account is the sum of its entries, of which each has one hold."""
    assert all(hold["state"] != "open" for hold in found["holds"])
    entries = found.by("entries", "account")
    for account in found["accounts"]:
        total = sum(entry["amount"] for entry in entries[account["subject"]])
        assert (account["balance"], account["held"]) == (total, 0)
    refs = [hold["ref"] for hold in found["holds"]]
    assert len(refs) == len(set(refs))
    charges = [entry["ref"] for entry in found["entries"] if entry["kind"] == "charge"]
    assert len(charges) == len(set(charges))
    assert set(charges) <= set(refs)


def test_a_call_killed_at_any_message_is_made_and_paid_at_most_once(forks, url, upstreams):
    works = killed_everywhere(forks, "call", lambda n: (f"user-{n}", f"query-{n}"))
    answers = recovered(forks, url, works)
    found, counts = stored.read(url), upstreams[1].counts
    print(f"{len(works)} kills, answers {answers}")
    assert {tuple(answer) for answer in answers} == {(200, None), (409, "unknown")}
    paid = {e["account"]: -e["amount"] for e in found["entries"] if e["kind"] == "charge"}
    for (_, (subject, query)), (status, _) in zip(works, answers, strict=True):
        assert counts[query] <= 1
        assert (status == 200, paid.get(subject, 0)) in ((True, PRICE), (False, 0))
        assert status == 409 or counts[query] == 1
    keys = {row["key"]: bool(row["answer"]) for row in found["idempotency_keys"]}
    assert keys == {
        f"key-{query}": status == 200
        for (_, (_, query)), (status, _) in zip(works, answers, strict=True)
    }
    check_sums(found)
