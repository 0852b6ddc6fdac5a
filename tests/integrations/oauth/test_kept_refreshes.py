"""Tokens of a refresh are stored whatever happens meanwhile: many providers give them once."""

import gevent
import pytest
from gevent.event import Event

from service.database import refresh_leases
from tests.faults.database_proxy import DatabaseProxy
from tests.integrations.oauth.user import user
from tests.services import wait_for


def test_a_refresh_goes_on_when_its_caller_is_interrupted(app, expired, provider):
    """As a turn is that its user stops."""
    provider.rotates = True
    asked, gate = Event(), Event()

    def wait(_seen):
        asked.set()
        gate.wait(30)

    provider.script("token", wait)
    caller = gevent.spawn(user(app, provider, "alice").call)
    assert asked.wait(15)
    caller.kill()
    assert not app.extensions["lifecycle"].is_done, "its worker would end"
    gate.set()
    wait_for(lambda: app.extensions["lifecycle"].is_done)
    assert expired.call().status_code == 200
    assert provider.refresh_count == 1


@pytest.fixture
def proxy(databases):
    made = DatabaseProxy(databases.cluster.directory)
    made.marker = b"refresh_token="
    yield made
    made.stop()


@pytest.fixture
def database_url(request, databases):
    """Behind the proxy, where the test has one."""
    if "proxy" not in request.fixturenames:
        return databases.make("sqlite")
    return request.getfixturevalue("proxy").make_database(databases)


@pytest.mark.parametrize("mode", ["cut-before-commit", "cut-after-commit"])
def test_a_database_that_is_lost_at_the_commit_gets_them_once_more(expired, provider, proxy, mode):
    provider.rotates = True
    proxy.set(mode)
    assert expired.call().status_code == 200
    assert (proxy.cuts, provider.refresh_count) == (1, 1)
    expired.expire()
    assert expired.call().status_code == 200
    assert provider.refresh_count == 2


@pytest.mark.parametrize("mode", ["cut-before-commit", "cut-after-commit"])
def test_a_lease_whose_commit_is_lost_keeps_nobody_waiting(expired, provider, proxy, mode):
    proxy.marker = b"SET lease_id="
    proxy.set(mode)
    assert expired.call().status_code == 200
    assert (proxy.cuts, provider.refresh_count) == (1, 1)


def test_a_database_that_stays_away_is_not_tried_for_ever(
    app, expired, provider, proxy, monkeypatch
):
    monkeypatch.setattr(refresh_leases, "INSIST_SECONDS", 0)
    provider.rotates = True
    proxy.set("cut-before-commit")
    assert expired.call().status_code == 503
    assert app.extensions["lifecycle"].is_done, "or its worker would never end"
