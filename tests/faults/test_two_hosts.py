"""Two hosts over one PostgreSQL, one with a clock that is half a minute ahead."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime

import gevent
import pytest
import requests
import time_machine

from config import ROOT
from service.auth.tokens import issue
from service.chat.claims import LEASE_SECONDS
from service.database.postgresql import LOST_AFTER
from service.times import now
from tests.faults.client import Client, client_of
from tests.faults.hosts import Host, HostedService, connected_hosts
from tests.faults.model import RawModel
from tests.postgres import Cluster, binaries
from tests.services import environment, flask, require, settings_for, wait_for

AHEAD = 30  # seconds
# A transaction as the service opens it, which is left open.
LEFT_OPEN = """
import sys, time, psycopg
from service.database.postgresql import connect_arguments
connection = psycopg.connect(sys.argv[1], **connect_arguments())
connection.execute("UPDATE users SET created_at = created_at")
print(connection.info.backend_pid, flush=True)
time.sleep(600)
"""


@dataclass
class Pair:
    hosts: list[Host]
    services: list[HostedService]
    cluster: Cluster
    model: RawModel

    def clients(self, subject: str = "alice") -> list[Client]:
        return [client_of(service, subject) for service in self.services]

    @contextmanager
    def away(self, number: int) -> Iterator[None]:
        """Pull the cable of a host in this context."""
        self.hosts[number].disconnect()
        try:
            yield
        finally:
            self.hosts[number].connect()


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> Iterator[Pair]:
    require(binaries(), "PostgreSQL (postgresql)")
    with ExitStack() as stack:
        hosts = stack.enter_context(connected_hosts(2, tmp_path_factory.mktemp("hosts")))
        hosts[0].set_clock(AHEAD)
        cluster = Cluster(",".join(host.outside for host in hosts))
        stack.callback(cluster.remove)
        cluster.start()
        flask(cluster.create("app"), "db", "upgrade")
        model = RawModel("0.0.0.0")
        stack.callback(model.stop)
        services = []
        for host in hosts:
            provider = f"http://{host.outside}:{model.port}"
            url = f"postgresql+psycopg://app@{host.outside}/app"
            service = HostedService(
                host, url, PROVIDER_A_BASE_URL=provider, PROVIDER_A_API_KEY="key"
            )
            stack.callback(service.remove)
            services.append(service.start())
        yield Pair(hosts, services, cluster, model)


def test_the_clocks_differ(pair):
    ahead, right = (
        parsedate_to_datetime(requests.get(f"{service.url}/healthz", timeout=5).headers["date"])
        for service in pair.services
    )
    assert AHEAD / 2 < (ahead - right).total_seconds() < 2 * AHEAD


def test_a_conversation_that_moves_between_the_hosts_keeps_its_order(pair):
    clients = pair.clients()
    chat = clients[0].new_chat()
    for number in range(6):
        turn = clients[number % 2].ask(chat, f"question {number} words=2", f"moves-{number}")
        assert turn.chunks[-1]["type"] == "finish"
    rows = clients[1].rows(chat)
    asked = [row["data"]["content"] for row in rows if row["data"]["role"] == "user"]
    assert asked == [f"question {number} words=2" for number in range(6)]
    times = [row["createdAt"] for row in rows]
    assert len(rows) == 12
    assert times == sorted(set(times))


def test_a_running_reply_is_busy_and_readable_at_the_other_host(pair):
    ahead, right = pair.clients()
    chat = ahead.new_chat()
    turn = ahead.ask(chat, "gate one", "busy-1")
    turn.read_until(b"text-delta")
    assert right.ask(chat, "gate one", "busy-1").status == 409
    watching = right.watch(chat)
    watching.read_until(b"text-delta")
    pair.model.open("gate one")
    kinds = [chunk["type"] for chunk in turn.chunks]
    assert kinds[-1] == "finish"
    watching.read_whole()
    told = [line for line in watching.body.splitlines() if line.startswith(b'data: {"')]
    assert [json.loads(line.removeprefix(b"data: "))["type"] for line in told] == kinds


def test_changes_of_both_hosts_reach_the_sockets_of_both_in_one_order(pair, follow):
    clients = pair.clients("bob")
    followers = [follow(service, "bob") for service in pair.services]
    note = clients[0].json("POST", "/api/records/notes", {"title": "0"})["recordId"]
    for number in range(1, 10):
        body = {"title": str(number)}
        clients[number % 2].json("PATCH", f"/api/records/notes/{note}", body)
    for follower in followers:  # a replay checks that each change is later than the one before
        wait_for(lambda seen=follower: len(seen.replay.changes) == 10)
    first, second = ([record["data"]["title"] for _, record in f.replay.changes] for f in followers)
    assert first == second == [str(number) for number in range(10)]


def test_a_token_of_one_host_is_valid_at_the_other_at_once(pair):
    settings = settings_for(pair.services[1].database_url)
    with time_machine.travel(now() + timedelta(seconds=AHEAD)):
        token = issue(settings, "carol", "user", 600)
    ahead, right = (Client(s.port, token, s.host) for s in pair.services)
    for maker, user in ((ahead, pair.services[1]), (right, pair.services[0])):
        made = maker.json("POST", "/api/tokens", {"ttl": 60, "scope": "calls"})
        limited = Client(user.port, made["token"], user.host)
        assert limited.send("GET", "/api/integrations/status").status == 200
        assert maker.send("GET", "/api/credits").status == 200


def test_a_host_that_is_cut_off_loses_its_turn_to_the_other_and_stores_nothing(pair):
    ahead, right = pair.clients("dave")
    chat = ahead.new_chat()
    ahead.ask(chat, "gate two", "lost-1").read_until(b"text-delta")
    with pair.away(0):
        asked = [right.ask(chat, "gate two", "lost-1")]
        assert asked[-1].status == 409

        def is_free() -> bool:
            gevent.sleep(1)
            asked.append(right.ask(chat, "gate two", "lost-1"))
            return asked[-1].status == 200

        wait_for(is_free, LEASE_SECONDS + LOST_AFTER)
        pair.model.open("gate two")
        assert asked[-1].chunks[-1]["type"] == "finish"
    assert ahead.ask(chat, "words=2 back", "lost-2").chunks[-1]["type"] == "finish"
    rows = [(row["data"]["role"], row["data"]["content"]) for row in right.rows(chat)]
    assert rows == [
        ("user", "gate two"),
        ("assistant", "0 1 2"),
        ("user", "words=2 back"),
        ("assistant", "0 1"),
    ]
    wait_for(lambda: right.credits()["held"] == 0, LEASE_SECONDS)


def test_a_transaction_of_a_lost_host_holds_up_nobody_for_long(pair, follow):
    """Without limits of its own the database would keep its locks and its snapshot for hours."""
    client = pair.clients("erin")[1]
    follower = follow(pair.services[1], "erin")
    address = pair.services[0].database_url.replace("+psycopg", "")
    command = [*pair.hosts[0].inside, sys.executable, "-c", LEFT_OPEN, address]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(address), stdout=subprocess.PIPE, text=True
    ) as lost:
        try:
            session = int(lost.stdout.readline())
            with pair.away(0):
                client.json("POST", "/api/records/notes", {"title": "waits"})
                gevent.sleep(2)
                assert not follower.replay.changes  # the older transaction may have changes too
                wait_for(lambda: follower.replay.changes, LOST_AFTER + 10)
                running = f"SELECT count(*) FROM pg_stat_activity WHERE pid = {session}"
                assert pair.cluster.execute(running) == "0"
        finally:
            lost.send_signal(signal.SIGKILL)


def test_a_clock_that_jumps_ends_nothing(pair, follow):
    client = pair.clients("frank")[1]
    follower = follow(pair.services[1], "frank")
    chat = client.new_chat()
    try:
        for number, seconds in enumerate((1800, -1800, 0)):
            turn = client.ask(chat, f"words=10 rate=5 {number}", f"jump-{number}")
            turn.read_until(b"text-delta")
            pair.hosts[1].set_clock(seconds)
            client.json("POST", "/api/records/notes", {"title": str(number)})
            assert turn.chunks[-1]["type"] == "finish"
    finally:
        pair.hosts[1].set_clock(0)
    wait_for(lambda: len(follower.replay.changes) == 3)
    assert follower.cuts == 0
    rows = client.rows(chat)
    times = [row["createdAt"] for row in rows]
    assert len(times) == 6
    assert times == sorted(set(times))
