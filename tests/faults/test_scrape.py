"""What Prometheus reads of several workers, of one that dies, and without a database."""

import json
import os
import signal
from collections import Counter

import gevent
import pytest
import requests
from gevent.event import Event
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import select

from service.chat.models import Claim
from service.extensions import db
from service.integrations.declare.example import File
from tests.faults.client import client_of
from tests.faults.database_proxy import DatabaseProxy
from tests.faults.database_rows import app_of
from tests.integrations.scripted_vendor import Said, ScriptedVendor
from tests.records.http_writer import HttpWriter
from tests.records.subscribers import token_of
from tests.services import wait_for

SEARCH, PRICE = "neuralsearch-search", 0.35
PAGES = json.loads(File("exa/search.json").content())
CALLS = 6  # at once, of as many users
SOCKETS = 8
ASKING = 12  # requests, with two connections for each worker
MOST = 60  # turns until both workers have one
HANGS = 10  # seconds after which a scrape counts as unanswered, as Prometheus waits


@pytest.fixture
def service(databases, start, vendor):
    """Two workers on PostgreSQL behind a proxy."""
    url = databases.make("postgresql")
    proxy = DatabaseProxy(databases.cluster.directory)
    proxied = url.replace(databases.cluster.directory, proxy.directory)
    exa = {"EXA_BASE_URL": vendor.url, "EXA_API_KEY": "k"}
    running = start(url=proxied, WEB_CONCURRENCY=2, DATABASE_POOL_SIZE=2, **exa)
    running.proxy = proxy
    wait_for(lambda: Scraped(running).get("workers_ready") == 2)
    yield running
    running.remove()
    proxy.stop()


class Scraped(dict[str, float]):
    """The sum of each metric's samples; `of` sums those with some labels."""

    def __init__(self, service) -> None:
        text = requests.get(f"{service.url}/metrics", timeout=HANGS).text
        self.workers, self._samples = set(), []
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                self._samples.append(sample)
                self[sample.name] = self.get(sample.name, 0) + sample.value
                self.workers |= {sample.labels["worker"]} if "worker" in sample.labels else set()

    def of(self, name: str, **labels: str) -> float:
        found = [one for one in self._samples if one.name == name]
        return sum(one.value for one in found if labels.items() <= one.labels.items())


class HeldVendor(ScriptedVendor):
    """Answers searches when `goes_on` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.goes_on = Event()
        self.says(self._late)

    def _late(self, _asked) -> Said:
        self.goes_on.wait()
        return Said(PAGES)


@pytest.fixture
def vendor():
    held = HeldVendor()
    yield held
    held.goes_on.set()
    held.stop()


def search(service, subject: str, key: str) -> int:
    """Make a call that costs `PRICE`, and return its status."""
    headers = {"Authorization": f"Bearer {token_of(service, subject)}", "Idempotency-Key": key}
    url = f"{service.url}/api/integrations/{SEARCH}"
    return requests.post(url, json={"query": "a"}, headers=headers, timeout=60).status_code


def claims(service) -> Counter[str]:
    """How many turns run under each worker's lease."""
    with app_of(service.database_url):
        return Counter(db.session.scalars(select(Claim.lease_id)))


def turns_on_both(service, model, text: str) -> Counter[str]:
    client, count = client_of(service), 0
    while len(claims(service)) < 2:
        count += 1
        assert count < MOST, "one worker has got every turn"
        client.ask(client.new_chat(), text, f"u{count}").read_until(b"text-delta")
    return claims(service)


def test_metrics_add_up_two_workers_and_forget_a_dead_one(service, model):
    running = turns_on_both(service, model, "gate both")
    wait_for(lambda: Scraped(service)["turns_running"] == running.total())
    before = Scraped(service)
    assert before["turns_claimed"] == before["holds_open"] == running.total()
    assert before["turn_first_token_seconds_count"] == running.total()
    assert (before["worker_restarts_total"], before["database_answers"]) == (0, 1)
    pids = {str(pid) for pid in service.workers}
    assert before.workers == pids
    killed = service.workers[0]
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: Scraped(service).workers == {str(pid) for pid in service.workers} != pids)
    after = Scraped(service)
    assert after["turns_running"] in running.values()
    assert after["turn_first_token_seconds_count"] == running.total(), "what is counted stays"
    assert after["worker_restarts_total"] == 1
    assert 0 < after["worker_memory_bytes"] < 2 << 30
    assert 2 < after["worker_files_open"] < after["worker_files_limit"]
    model.open("gate both")
    wait_for(lambda: Scraped(service).get("turns_total") == after["turns_running"])
    wait_for(lambda: Scraped(service)["turns_running"] == 0)
    lost = running.total() - after["turns_running"]
    wait_for(lambda: Scraped(service).of("lost_work_swept_total", kind="turns") == lost, 60)
    wait_for(lambda: Scraped(service)["turns_claimed"] == 0)


def test_calls_are_counted_over_two_workers(service, vendor):
    people = [f"user{number}" for number in range(CALLS)]
    calls = [gevent.spawn(search, service, person, "k") for person in people]
    wait_for(lambda: Scraped(service)["idempotency_keys_in_flight"] == CALLS, 30)
    wait_for(lambda: Scraped(service)["holds_open"] == CALLS)  # each is made behind its key
    assert Scraped(service)["holds_overdue"] == 0
    vendor.goes_on.set()
    assert [call.get(timeout=30) for call in calls] == [200] * CALLS
    wait_for(lambda: Scraped(service)["idempotency_keys_in_flight"] == 0)
    after = Scraped(service)
    assert after.of("endpoint_calls_total", endpoint=SEARCH, outcome="succeeded") == CALLS
    assert after.of("endpoint_credits_total", endpoint=SEARCH) == pytest.approx(CALLS * PRICE)
    assert after.of("upstream_calls_total", upstream="exa") == CALLS
    assert (after["holds_open"], after.of("breaker_open")) == (0, 0)
    vendor.says(Said({}, status=500))
    assert {search(service, person, "later") for person in people} == {502}
    wait_for(lambda: Scraped(service).of("breaker_open", integration="neuralsearch") == 1)


def test_sockets_and_the_age_of_the_feed_are_measured(service, listen):
    assert Scraped(service)["feed_lag_seconds_count"] == 0
    listeners = [listen(service, "alice") for _ in range(SOCKETS)]
    replays = [listener.subscribe("notes") for listener in listeners]
    wait_for(lambda: all(replay.cursors for replay in replays))
    wait_for(lambda: Scraped(service)["sockets_open"] == SOCKETS)
    HttpWriter(service, "alice").create("notes", title="t")
    wait_for(lambda: all(replay.changes for replay in replays))
    wait_for(lambda: Scraped(service)["feed_lag_seconds_count"] > 0)
    service.proxy.set("hang")
    wait_for(lambda: Scraped(service)["feed_unread_seconds"] > 3, 30)
    service.proxy.set("pass")
    wait_for(lambda: Scraped(service)["feed_unread_seconds"] < 3, 30)


def waits_for_connections(scraped: Scraped) -> bool:
    return scraped["database_connections_awaited"] > 0


def test_what_waits_for_the_database_is_measured(service, model):
    client = client_of(service)
    client.ask(client.new_chat(), "gate held", "u").read_until(b"text-delta")
    before = Scraped(service)
    assert before["database_connections_awaited"] == 0
    assert before.of("leases_not_renewed_total", kind="claims") == 0
    service.proxy.set("hang")
    asking = [client.send("GET", "/api/credits") for _ in range(ASKING)]
    scraped = []
    wait_for(lambda: scraped.append(Scraped(service)) or waits_for_connections(scraped[-1]))
    assert scraped[-1]["database_connections_used"] > 0
    wait_for(lambda: Scraped(service).of("leases_not_renewed_total", kind="claims") > 0, 60)
    assert Scraped(service)["database_connection_waits_total"] > 0
    service.proxy.set("pass")
    for exchange in asking:
        exchange.read_whole()
    wait_for(lambda: Scraped(service)["database_connections_awaited"] == 0, 30)
    model.open("gate held")


def test_a_scrape_is_answered_without_the_database(service):
    for mode in ("hang", "refuse"):
        service.proxy.set(mode)
        scraped = Scraped(service)
        assert scraped["database_answers"] == 0
        assert "holds_open" not in scraped
        assert scraped["database_connections_limit"] > 0
    service.proxy.set("pass")
    wait_for(lambda: Scraped(service)["database_answers"] == 1)
