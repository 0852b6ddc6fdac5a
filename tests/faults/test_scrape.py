"""What Prometheus reads of several workers, of one that dies, and without a database."""

import os
import signal
from collections import Counter

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import select

from service.chat.models import Claim
from service.extensions import db
from tests.faults.books import within
from tests.faults.conftest import client_of
from tests.faults.processes import workers
from tests.faults.proxy import DatabaseProxy
from tests.services import wait_for

MOST = 60  # turns until both workers have one
HANGS = 6  # seconds after which a scrape counts as unanswered: Prometheus waits for ten


@pytest.fixture
def service(databases, start):
    """Two workers on PostgreSQL behind a proxy."""
    url = databases.make("postgresql")
    proxy = DatabaseProxy(databases.cluster.directory)
    proxied = url.replace(databases.cluster.directory, proxy.directory)
    running = start(url=proxied, WEB_CONCURRENCY=2)
    running.proxy = proxy
    yield running
    running.remove()
    proxy.stop()


class Scraped(dict[str, float]):
    """The sum of each metric's samples."""

    def __init__(self, service) -> None:
        text = requests.get(f"{service.url}/metrics", timeout=HANGS).text
        self.workers = set()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                self[sample.name] = self.get(sample.name, 0) + sample.value
                self.workers |= {sample.labels["worker"]} if "worker" in sample.labels else set()


def claims(service) -> Counter[str]:
    """How many turns run under each worker's lease."""
    with within(service.database_url):
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
    pids = {str(pid) for pid in workers(service)}
    assert before.workers == pids
    killed = workers(service)[0]
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: Scraped(service).workers == {str(pid) for pid in workers(service)} != pids)
    after = Scraped(service)
    assert after["turns_running"] in running.values()
    assert after["turn_first_token_seconds_count"] == running.total(), "what is counted stays"
    assert after["worker_restarts_total"] == 1
    assert 0 < after["worker_memory_bytes"] < 2 << 30
    assert 2 < after["worker_files_open"] < after["worker_files_limit"]
    model.open("gate both")
    wait_for(lambda: Scraped(service).get("turns_total") == after["turns_running"])
    wait_for(lambda: Scraped(service)["turns_running"] == 0)


def test_a_scrape_is_answered_without_the_database(service):
    for mode in ("hang", "refuse"):
        service.proxy.set(mode)
        scraped = Scraped(service)
        assert scraped["database_answers"] == 0
        assert "holds_open" not in scraped
        assert scraped["database_connections_limit"] > 0
    service.proxy.set("pass")
    wait_for(lambda: Scraped(service)["database_answers"] == 1)
