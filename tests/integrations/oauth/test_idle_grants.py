"""Grants that nobody uses: refreshed before they end. And the health of all grants."""

import re
from collections import Counter
from datetime import timedelta
from typing import get_args

import gevent
import pytest

from service.integrations import idle_grants
from service.integrations.consent.authority import Failure
from service.times import now
from tests.integrations.oauth.provider import Reply
from tests.services import on_sqlite

MONTH = timedelta(days=30)
REFUSED = Reply(400, {"error": "invalid_grant"})


@pytest.fixture
def unused(alice):
    """Alice has not used her connection for a month and a day."""
    alice.connect()
    alice.change(updated_at=now() - MONTH - timedelta(days=1))
    return alice


def health(user):
    return user.person.get("/api/integrations/health").json["cloudsuite"]


def test_an_unused_grant_is_refreshed_once_by_several_workers(app, unused, provider):
    before = unused.row
    workers = [gevent.spawn(idle_grants.refresh_idle, app, MONTH) for _ in range(4)]
    gevent.joinall(workers, raise_error=True)
    assert provider.refresh_count == 1
    assert unused.row["version"] == before["version"] + 1
    assert now() - unused.row["updated_at"] < timedelta(minutes=1)
    assert idle_grants.refresh_idle(app, MONTH) == 0


@on_sqlite
def test_a_grant_in_use_is_left_alone(app, alice, provider):
    alice.connect()
    assert idle_grants.refresh_idle(app, MONTH) == 0
    assert provider.refresh_count == 0


@on_sqlite
def test_a_refresh_that_fails_keeps_the_grant_and_is_tried_again_after_a_day(app, unused, provider):
    provider.script("token", REFUSED)
    assert idle_grants.refresh_idle(app, MONTH) == 1
    assert (unused.status["connected"], unused.row["failure"]) == (True, "refused")
    assert idle_grants.refresh_idle(app, MONTH) == 0
    unused.change(failed_at=now() - timedelta(days=2))
    assert idle_grants.refresh_idle(app, MONTH) == 1
    assert provider.refresh_count == 2


@on_sqlite
def test_grants_of_a_vendor_that_is_out_of_reach_are_left_to_another_time(
    app, unused, bob, provider, monkeypatch
):
    """An operator's sweep would wait ten seconds for each of thousands."""
    monkeypatch.setattr(idle_grants, "IN_A_ROW", 1)
    bob.connect(account="two")
    bob.change(updated_at=now() - 2 * MONTH)
    provider.script("token", Reply(503, "<html>busy</html>", "text/html"))
    assert (idle_grants.refresh_idle(app, MONTH), provider.refresh_count) == (1, 1)
    assert bob.row["failure"] == "unreachable"
    assert (idle_grants.refresh_idle(app, MONTH), provider.refresh_count) == (1, 2)
    assert now() - unused.row["updated_at"] < timedelta(minutes=1)
    for user in (unused, bob):
        user.change(updated_at=now() - 2 * MONTH, failed_at=None)
    provider.script("token", REFUSED)
    assert idle_grants.refresh_idle(app, MONTH) == 2, "the vendor is there"


GONE = {
    "integration": {"integration": "elsewhere"},
    "sealing key": {"refresh_token": "lost:AAAA"},
}


@on_sqlite
@pytest.mark.parametrize("what", GONE)
def test_grants_that_this_server_cannot_refresh_do_not_hold_up_others(
    app, unused, bob, provider, what
):
    bob.connect(account="two")
    bob.change(updated_at=now() - 2 * MONTH, **GONE[what])
    for _ in range(2):
        idle_grants.refresh_idle(app, MONTH, most=1)
    assert provider.refresh_count == 1
    assert now() - unused.row["updated_at"] < timedelta(minutes=1)


@on_sqlite
def test_a_grant_that_was_refreshed_or_cleared_since_it_was_found_is_left_alone(
    app, alice, bob, provider
):
    alice.connect()
    with app.app_context():
        connections = app.extensions["proxy"].connections
        for user in (alice, bob):
            connections.grants("cloudsuite").renew(
                user.person.subject, connections.authority("cloudsuite"), MONTH
            )
    assert provider.refresh_count == 0


def counted(user) -> Counter:
    row = r'^grant_refreshes_total{integration="cloudsuite",outcome="([\w-]+)"} (\S+)'
    found = re.findall(row, user.person.get("/metrics").text, re.M)
    return Counter({outcome: int(float(count)) for outcome, count in found})


@on_sqlite
def test_refreshes_are_counted_by_how_they_end(app, unused, provider):
    before = counted(unused)
    assert {"refreshed", *get_args(Failure)} == before.keys(), "from 0 on: a first one is a rise"
    provider.script("token", REFUSED)
    idle_grants.refresh_idle(app, MONTH)
    unused.change(failed_at=now() - timedelta(days=2))
    idle_grants.refresh_idle(app, MONTH)
    assert counted(unused) - before == {"refused": 1, "refreshed": 1}


@on_sqlite
def test_a_revoked_account_that_is_used_on_and_on_counts_once(alice, provider):
    alice.connect()
    before = counted(alice)
    provider.script("token", *[REFUSED] * 12)
    for _ in range(12):
        alice.expire()
        alice.change(failed_at=now() - timedelta(seconds=3))
        assert alice.call().status_code == 502
    assert provider.refresh_count == 12
    assert counted(alice) - before == {"refused": 1}
    alice.change(failed_at=now() - timedelta(seconds=3))
    alice.call()  # the account works again, and then fails anew
    provider.script("token", REFUSED)
    alice.expire()
    alice.call()
    assert counted(alice) - before == {"refused": 2, "refreshed": 1}


@on_sqlite
def test_the_sweep_of_an_operator_refreshes_them(app, unused, provider):
    assert "1 idle grants" in app.test_cli_runner().invoke(args=["sweep"]).output
    assert provider.refresh_count == 1


@on_sqlite
@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (REFUSED, "refused"),
        (Reply(503, "<html>busy</html>", "text/html"), "unreachable"),
        (Reply(429, {"error": "slow_down"}), "unreachable"),
        (Reply(200, "hello"), "unreadable"),
    ],
)
def test_a_connection_fails_from_the_first_failure_to_the_next_success(
    expired, provider, admin, reply, failure
):
    assert (health(expired)["state"], health(expired)["failure"]) == ("working", None)
    provider.script("token", reply, reply)
    expired.call()
    first = health(expired)
    assert (first["state"], first["failure"]) == ("failing", failure)
    expired.change(failed_at=now() - timedelta(minutes=1))
    expired.call()
    second = health(expired)
    assert second["failingSince"] == first["failingSince"]
    assert second["lastFailure"] > first["lastFailure"]
    assert grants_seen_by(admin) == {"connected": 1, "failing": 1}
    expired.change(failed_at=now() - timedelta(minutes=1))
    assert expired.call().status_code == 200
    assert (health(expired)["state"], health(expired)["failingSince"]) == ("working", None)
    assert grants_seen_by(admin) == {"connected": 1, "failing": 0}


def grants_seen_by(admin):
    listed = admin.get("/api/admin/integrations").json["integrations"]
    return next(one["grants"] for one in listed if one["integration"] == "cloudsuite")


@on_sqlite
def test_who_has_connected_nothing_has_no_health(alice):
    assert alice.person.get("/api/integrations/health").json == {}
