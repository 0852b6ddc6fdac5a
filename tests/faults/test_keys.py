"""A call with an `Idempotency-Key` is never made or paid twice, even if a worker dies."""

import json
import os
import signal
from typing import Any

import gevent
import pytest
import requests
from sqlalchemy import text, update

from service.auth.tokens import issue
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling import idempotency
from service.integrations.declare.example import File
from service.integrations.models import IdempotencyKey
from tests.faults.database_proxy import DatabaseProxy
from tests.faults.database_rows import app_of
from tests.faults.key_statements import KEEPS, LEAVES
from tests.integrations.scripted_vendor import Said, ScriptedVendor
from tests.services import Service, settings_for, wait_for

SEARCH = ("neuralsearch-search", {"query": "a"})
GEOCODE = ("geocode-city", {"city": "Berlin"})
PAGES = json.loads(File("exa/search.json").content())
PLACES = json.loads(File("open_meteo/places.json").content())
PRICE = 0.35
KINDS = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])


@pytest.fixture
def vendor():
    scripted = ScriptedVendor()
    scripted.says(PAGES)
    yield scripted
    scripted.stop()


@pytest.fixture
def settings(vendor) -> dict[str, str]:
    return {"EXA_BASE_URL": vendor.url, "EXA_API_KEY": "k",
            "OPEN_METEO_GEOCODING_BASE_URL": vendor.url}  # fmt: skip


@pytest.fixture
def proxied(databases, start, settings):
    """A service with its PostgreSQL behind a proxy."""
    url = databases.make("postgresql")
    proxy = DatabaseProxy(databases.cluster.directory)
    service = start(url=url.replace(databases.cluster.directory, proxy.directory), **settings)
    yield service, proxy, url
    service.remove()
    proxy.stop()


def call(service: Service, endpoint: str, body: Any, key: str = "k1") -> Any:
    """Make a call as alice. Returns None if the connection broke."""
    token = issue(settings_for(service.database_url), "alice", "user", 3600)
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    try:
        url = f"{service.url}/api/integrations/{endpoint}"
        return requests.post(url, json=body, headers=headers, timeout=60)
    except requests.RequestException:
        return None


def charges(url: str) -> list[float]:
    with app_of(url):
        amounts = text("SELECT amount FROM entries WHERE kind = 'charge' AND account = 'alice'")
        return [amount / 1e6 for amount in db.session.scalars(amounts)]


def lapse(url: str) -> None:
    """End the lease of the worker that has the key."""
    with app_of(url), write_transaction() as session:
        session.execute(update(IdempotencyKey).values(held_until=from_now(-1)))


def is_unknown(answer: Any) -> bool:
    body = answer.json()
    return (answer.status_code, body["error"], body.get("outcome")) == (409, "conflict", "unknown")


@KINDS
def test_a_worker_lost_while_the_vendor_works_leaves_an_unknown_outcome(
    start, vendor, settings, kind
):
    service = start(kind, **settings)

    def kill(_asked):
        os.kill(service.worker, signal.SIGKILL)
        return Said(PAGES)

    vendor.answers = [kill, Said(PAGES)]
    assert call(service, *SEARCH) is None
    service.wait()
    under_way = call(service, *SEARCH)
    assert (under_way.status_code, "outcome" in under_way.json()) == (409, False)
    answers: list[Any] = []

    def lapsed() -> bool:
        answers.append(call(service, *SEARCH))
        return is_unknown(answers[-1])

    wait_for(lapsed, idempotency.LEASE_SECONDS + 10)
    assert is_unknown(call(service, *SEARCH))
    assert call(service, SEARCH[0], {"query": "other"}).status_code == 409
    assert (len(vendor.seen), charges(service.database_url)) == (1, [])
    assert call(service, *SEARCH, key="k2").status_code == 200
    assert (len(vendor.seen), charges(service.database_url)) == (2, [-PRICE])


def test_a_worker_lost_between_the_answer_and_its_storing_leaves_an_unknown_outcome(
    proxied, vendor
):
    service, proxy, url = proxied
    proxy.hang_at = KEEPS
    calling = gevent.spawn(call, service, *SEARCH)
    wait_for(lambda: proxy.mode == "hang")
    os.kill(service.worker, signal.SIGKILL)
    assert calling.get(timeout=20) is None
    proxy.hang_at = b""
    proxy.set("pass")
    service.wait()
    lapse(url)
    assert is_unknown(call(service, *SEARCH))
    assert (len(vendor.seen), charges(url)) == (1, [])


def test_a_worker_lost_before_the_request_leaves_the_key_unused(proxied, vendor):
    service, proxy, url = proxied
    proxy.hang_at = LEAVES
    calling = gevent.spawn(call, service, *SEARCH)
    wait_for(lambda: proxy.mode == "hang")
    os.kill(service.worker, signal.SIGKILL)
    assert calling.get(timeout=20) is None
    proxy.hang_at = b""
    proxy.set("pass")
    service.wait()
    assert (call(service, *SEARCH).status_code, vendor.seen) == (409, [])
    lapse(url)
    assert call(service, SEARCH[0], {"query": "other"}).status_code == 200
    assert (len(vendor.seen), charges(url)) == (1, [-PRICE])


@KINDS
def test_a_read_is_repeated_after_a_crash(start, vendor, settings, kind):
    service = start(kind, **settings)

    def kill(_asked):
        os.kill(service.worker, signal.SIGKILL)
        return Said(PLACES)

    vendor.answers = [kill, Said(PLACES)]
    assert call(service, *GEOCODE) is None
    service.wait()
    assert call(service, *GEOCODE).status_code == 409
    lapse(service.database_url)
    answers = [call(service, *GEOCODE) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len(vendor.seen) == 2


@pytest.mark.parametrize("mode", ["cut-before-commit", "cut-after-commit"])
def test_a_connection_lost_as_the_answer_is_stored_is_one_call_and_one_charge(
    proxied, vendor, mode
):
    service, proxy, url = proxied
    proxy.marker = KEEPS
    proxy.set(mode)
    answers = [call(service, *SEARCH) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert (proxy.cuts, len(vendor.seen), charges(url)) == (1, 1, [-PRICE])


@pytest.mark.parametrize("mode", ["cut-before-commit", "cut-after-commit"])
def test_a_connection_lost_as_the_request_leaves_sends_nothing(proxied, vendor, mode):
    service, proxy, url = proxied
    proxy.marker = LEAVES
    proxy.set(mode)
    assert call(service, *SEARCH).status_code >= 500
    assert vendor.seen == []
    assert call(service, *SEARCH).status_code == 200
    assert (proxy.cuts, len(vendor.seen), charges(url)) == (1, 1, [-PRICE])


def test_an_answer_is_stored_when_a_lost_database_is_back(proxied, vendor):
    service, proxy, url = proxied

    def lose(_asked):
        proxy.set("refuse")
        return Said(PAGES)

    vendor.answers = [lose, Said(PAGES)]
    assert call(service, *SEARCH).status_code >= 500
    proxy.set("pass")
    answers: list[Any] = []

    def stored() -> bool:
        answers.append(call(service, *SEARCH))
        return answers[-1].status_code == 200

    wait_for(stored, 30)
    assert {answer.status_code for answer in answers} <= {200, 409, 500, 503}
    assert (len(vendor.seen), charges(url)) == (1, [-PRICE])
