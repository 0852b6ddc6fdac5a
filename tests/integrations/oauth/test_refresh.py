"""Refreshing an access token: once for all who wait, and never over what is newer."""

from datetime import timedelta

import gevent
import pytest
from gevent.pool import Pool
from sqlalchemy import select, update

from service.database import refresh_leases
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import db
from service.integrations.consent import authority
from service.integrations.models import Grant
from service.times import now
from tests.integrations.oauth.provider import BASE, Reply
from tests.integrations.oauth.user import EVENTS, READ, REFRESH_FAILED, outcome, user
from tests.services import on_sqlite


@pytest.fixture
def short_deadline(expired, monkeypatch):
    """For the refresh, and not for the consent before it."""
    monkeypatch.setattr(authority, "ANSWER_SECONDS", 0.5)


def slow(_seen):
    gevent.sleep(1)
    return Reply(200, {"access_token": "at-canary-late"})


@on_sqlite
def test_an_expired_token_is_refreshed_once(expired, provider):
    before = expired.row
    assert expired.call().json["data"]["account"] == "one"
    after = expired.row
    assert after["access_token"] != before["access_token"]
    assert (after["refresh_token"], after["scopes"]) == (before["refresh_token"], before["scopes"])
    assert after["version"] == before["version"] + 1
    assert timedelta(minutes=58) < after["expires_at"] - now() < timedelta(hours=1)
    assert expired.call().status_code == 200
    form = provider.asked("token")[-1].form
    assert form.pop("refresh_token") == "rt-canary-2"
    assert set(form) == {"client_id", "client_secret", "grant_type"}, "no scope"
    assert provider.refresh_count == 1


@on_sqlite
def test_a_refresh_may_bring_scopes_and_takes_none_away(expired, provider):
    provider.granted["one"] = {f"{BASE}/calendar.events"}
    assert expired.call().status_code == 200
    assert expired.flags == {"mailRead", "mail", "calendar"}


FAILURES = {
    "invalid_grant": Reply(400, {"error": "invalid_grant"}),
    "invalid_client": Reply(401, {"error": "invalid_client"}),
    "limited": Reply(429, {"error": "slow_down"}),
    "broken": Reply(500, "oops"),
    "html": Reply(503, "<html>busy</html>", "text/html"),
    "empty": Reply(200, ""),
    "slow": slow,
    "no token": Reply(200, {"token_type": "Bearer", "expires_in": 3599}),
    "html 200": Reply(200, "<html>hello</html>", "text/html"),
    "error 200": Reply(200, {"error": "invalid_grant", "access_token": "at-canary"}),
    "a list": Reply(200, []),
    "null": Reply(200, None),
    "no text": Reply(200, {"access_token": {"a": 1}}),
    "redirect": Reply(302, {"access_token": "at-canary"}),
    "deep": Reply(200, "[" * 99999),
    "endless": Reply(200, '{"access_token": "at-canary", "expires_in": 1e999}'),
}


@on_sqlite
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.usefixtures("short_deadline")
def test_whatever_the_token_endpoint_answers_the_grant_is_kept(expired, provider, failure):
    before = expired.row
    provider.script("token", FAILURES[failure])
    answer = expired.call()
    assert (answer.status_code, answer.json) == (502, REFRESH_FAILED)
    after = expired.row
    assert {n for n in after if after[n] != before[n]} == {"failed_at", "failing_since", "failure"}
    assert (after["lease_id"], after["lease_until"]) == (None, None)
    assert expired.status["connected"] is True
    assert provider.asked("api") == []


@on_sqlite
def test_a_failure_is_not_tried_again_for_two_seconds(expired, provider, monkeypatch):
    assert timedelta(seconds=2) == refresh_leases.COOL_DOWN
    monkeypatch.setattr(
        refresh_leases, "COOL_DOWN", timedelta(seconds=60)
    )  # a busy machine takes long
    provider.script("token", FAILURES["broken"])
    assert [expired.call().status_code for _ in range(5)] == [502] * 5
    assert provider.refresh_count == 1
    expired.change(failed_at=now() - timedelta(seconds=40))
    assert expired.call().status_code == 502
    assert provider.refresh_count == 1
    expired.change(failed_at=now() - timedelta(seconds=61))
    assert expired.call().status_code == 200
    assert provider.refresh_count == 2


@on_sqlite
def test_an_unreachable_token_endpoint_is_a_failed_refresh(app, expired):
    app.extensions["vendor_settings"]["CLOUDSUITE_TOKEN_URL"] = "http://127.0.0.1:1/token"
    answer = expired.call()
    assert (answer.status_code, answer.json) == (502, REFRESH_FAILED)


@on_sqlite
def test_expired_without_a_refresh_token_is_a_failed_refresh(alice, provider):
    provider.gives_refresh = False
    alice.connect()
    alice.expire()
    answer = alice.call()
    assert (answer.status_code, answer.json) == (502, REFRESH_FAILED)
    assert (provider.refresh_count, alice.status["connected"]) == (0, True)


@on_sqlite
def test_a_rotated_refresh_token_is_stored(expired, provider):
    provider.rotates = True
    for _ in range(3):
        assert expired.call().status_code == 200
        expired.expire()
    sent = [seen.form.get("refresh_token") for seen in provider.asked("token")[1:]]
    assert len(set(sent)) == 3
    assert expired.row["failed_at"] is None


@on_sqlite
@pytest.mark.parametrize(("lasts", "count"), [(3599, 0), (30, 0), ("1800", 0), (8, 1)])
def test_a_short_life_is_not_refreshed_at_every_call(alice, provider, lasts, count):
    provider.lasts = lasts
    alice.connect()
    if count:
        alice.expire()
    assert [alice.call().status_code for _ in range(3)] == [200] * 3
    assert provider.refresh_count == count


@on_sqlite
def test_a_fresh_token_is_used_however_short_its_life_is(expired, provider):
    """By our clock it may have ended before it is stored."""
    provider.lasts = 0.001
    assert expired.call().status_code == 200
    assert provider.refresh_count == 1


@pytest.fixture
def due(connected):
    """Alice, whose access token has 30 more seconds."""
    soon = timedelta(seconds=30)
    connected.change(expires_at=now() + soon, updated_at=now() + soon - timedelta(hours=1))
    return connected


@on_sqlite
def test_a_token_is_refreshed_a_little_before_its_end(due, provider):
    assert due.call().status_code == 200
    assert provider.refresh_count == 1
    assert due.row["expires_at"] - now() > timedelta(minutes=58)


def test_a_refresh_that_fails_before_the_end_leaves_the_token_in_use(due, provider):
    before = due.row
    provider.script("token", FAILURES["broken"])
    assert [due.call().json["data"]["account"] for _ in range(3)] == ["one"] * 3
    assert (provider.refresh_count, due.row["access_token"]) == (1, before["access_token"])
    due.change(expires_at=now())
    assert due.call().status_code == 502


@on_sqlite
def test_without_a_refresh_token_the_access_token_serves_to_its_end(alice, provider):
    provider.gives_refresh = False
    alice.connect()
    soon = timedelta(seconds=30)
    alice.change(expires_at=now() + soon, updated_at=now() + soon - timedelta(hours=1))
    assert alice.call().status_code == 200
    alice.change(expires_at=now())
    assert alice.call().status_code == 502


def test_before_the_end_nobody_waits_for_a_refresh(app, due, provider):
    answers = []

    def meanwhile(_seen):
        answers.append(user(app, provider, "alice").call().status_code)

    provider.script("token", meanwhile)
    assert (due.call().status_code, answers, provider.refresh_count) == (200, [200], 1)


@on_sqlite
def test_a_refresh_leaves_a_resealed_refresh_token_alone(expired, provider):
    """`flask keys rotate` runs while everything does."""

    def meanwhile(_seen):
        expired.change(refresh_token="resealed")

    provider.script("token", meanwhile)
    assert expired.call().status_code == 200
    assert expired.row["refresh_token"] == "resealed"


def test_callers_at_once_refresh_once(app, expired, provider):
    provider.rotates = True
    answers = Pool(25).map(lambda _: user(app, provider, "alice").call(), range(25))
    assert {answer.status_code for answer in answers} == {200}
    assert provider.refresh_count == 1


def test_no_connection_is_held_while_the_vendor_is_asked(app, expired, provider):
    held = []

    def meanwhile(_seen):
        with app.app_context():
            held.append(db.engine.pool.checkedout())

    provider.script("token", meanwhile)
    assert (expired.call().status_code, held) == (200, [0])


@pytest.mark.usefixtures("short_deadline")
def test_callers_at_once_fail_once(app, expired, provider, monkeypatch):
    monkeypatch.setattr(
        refresh_leases, "COOL_DOWN", timedelta(seconds=60)
    )  # a busy machine takes long
    provider.script("token", slow)
    answers = Pool(25).map(lambda _: user(app, provider, "alice").call(), range(25))
    assert [answer.json for answer in answers] == [REFRESH_FAILED] * 25
    assert provider.refresh_count == 1


@on_sqlite
def test_a_caller_who_read_before_a_failure_does_not_try_again(app, expired, provider):
    """Between reading the row and taking the lease, somebody else has failed."""
    with app.app_context():
        read = refresh_leases.read(Grant, user_id="alice", integration="cloudsuite")
        expired.change(failed_at=now())
        assert refresh_leases.lease(read) is None
        expired.change(failed_at=now() - refresh_leases.COOL_DOWN)
        assert refresh_leases.lease(read)
        again = refresh_leases.read(Grant, user_id="alice", integration="cloudsuite")
        assert refresh_leases.lease(again) is None, "it is taken"


WRITTEN = {"lease_until": from_now(20), "failed_at": current_time()}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("column", WRITTEN)
def test_a_caller_who_waited_for_the_row_sees_what_was_written_meanwhile(app, expired, column):
    """A statement that waits for a row's lock goes by the time at which it began, and so meets
    times that lie ahead of it."""
    with app.app_context():
        read = refresh_leases.read(Grant, user_id="alice", integration="cloudsuite")
    with app.app_context(), write_transaction() as session:
        session.execute(select(Grant.seq).with_for_update())
        taking = gevent.spawn(in_context, app, lambda: refresh_leases.lease(read))
        gevent.sleep(0.3)
        session.execute(update(Grant).values({column: WRITTEN[column]}))
    assert taking.get(timeout=30) is None


def in_context(app, function):
    with app.app_context():
        return function()


@pytest.mark.parametrize("column", ["lease_until", "failed_at"])
def test_a_clock_set_back_does_not_put_a_refresh_off(app, expired, column):
    """A lease, or a failure, of an hour later."""
    expired.change(**{column: now() + timedelta(hours=1)})
    with app.app_context():
        seen = refresh_leases.read(Grant, user_id="alice", integration="cloudsuite")
        assert not seen.has_failed(seen.at)
        assert refresh_leases.lease(seen)


def test_a_401_right_after_a_refresh_forgets_the_grant(expired, provider):
    provider.script("api", Reply(401, {}))
    assert expired.payload(READ)
    assert (provider.refresh_count, expired.row) == (1, None)


def test_a_disconnect_during_a_refresh_is_final(app, expired, provider):
    def late(seen):
        reply = provider._token(seen)
        user(app, provider, "alice").disconnect()
        return reply

    provider.script("token", late)
    provider.rotates = True
    assert expired.payload(READ)
    assert expired.row is None
    assert (provider.refresh_count, provider.asked("api")) == (1, [])
    assert provider.refreshes == {}, "also the one that came too late is revoked"


def test_a_disconnect_revokes_the_tokens_that_it_clears(app, connected, provider):
    """A refresh or a consent may store others while it waits for the row."""
    first = connected.row["refresh_token"]
    connected.connect(EVENTS)
    newer = connected.row["refresh_token"]
    connected.change(refresh_token=first)
    with app.app_context(), write_transaction() as session:
        session.execute(select(Grant.seq).with_for_update())
        disconnecting = gevent.spawn(connected.disconnect)
        gevent.sleep(0.3)
        session.execute(update(Grant).values(refresh_token=newer))
    assert disconnecting.get(timeout=30).status_code == 200
    assert list(provider.refreshes) == ["rt-canary-2"]


LATE = [
    Reply(200, {"access_token": "at-canary-late", "refresh_token": "rt-canary-late"}),
    Reply(400, {"error": "invalid_grant"}),
]


@pytest.mark.parametrize("late", LATE)
def test_a_reconnect_during_a_refresh_is_newer(app, expired, provider, late):
    again = user(app, provider, "alice")
    kept = {}

    def meanwhile(_seen):
        again.disconnect()
        again.connect(READ, account="two")
        kept.update(again.row)
        return late

    provider.script("token", meanwhile)
    answer = expired.call()
    assert (answer.status_code, answer.json["data"]["account"]) == (200, "two")
    assert expired.row == kept


def test_a_consent_without_a_refresh_token_keeps_the_one_of_a_refresh_meanwhile(
    app, expired, provider
):
    """The consent leaves the earlier one in its place, which the vendor accepts no more."""
    again = user(app, provider, "alice")
    provider.rotates = True

    def meanwhile(seen):
        reply = provider._token(seen)
        provider.gives_refresh = False
        again.connect(EVENTS)
        return reply

    provider.script("token", meanwhile)
    assert expired.call().status_code == 200
    expired.expire()
    assert expired.call().status_code == 200
    assert provider.refresh_count == 2
    assert {"mailRead", "calendar"} <= expired.flags


def test_a_lease_that_was_lost_gives_no_expired_token(expired, provider):
    """Its holder slept and failed, another has taken over and is not ready yet."""

    def meanwhile(_seen):
        expired.change(lease_id="another", lease_until=now() + timedelta(seconds=0.3))
        return FAILURES["invalid_grant"]

    provider.script("token", meanwhile)
    before = expired.row["access_token"]
    assert expired.call().status_code == 200
    assert expired.row["access_token"] != before
    assert provider.refresh_count == 2


@pytest.mark.parametrize("lease_id", ["another", None])
def test_tokens_that_come_after_the_end_of_the_lease_are_stored(expired, provider, lease_id):
    """Its holder was suspended, and the vendor accepts the earlier refresh token no more."""
    provider.rotates = True

    def meanwhile(seen):
        reply = provider._token(seen)
        expired.change(lease_id=lease_id, lease_until=None, failed_at=now(), failure="refused")
        return reply

    provider.script("token", meanwhile)
    assert expired.call().status_code == 200
    assert expired.row["failure"] is None
    expired.expire()
    assert expired.call().status_code == 200
    assert provider.refresh_count == 2


@on_sqlite
def test_a_401_for_an_old_token_does_not_forget_a_new_grant(app, connected, provider):
    again = user(app, provider, "alice")

    def meanwhile(_seen):
        again.disconnect()
        again.connect(READ)
        return Reply(401, {})

    provider.script("api", meanwhile)
    assert connected.payload(READ)
    assert connected.row is not None
    assert connected.call(READ).json["data"]["account"] == "one"


@on_sqlite
def test_a_reconnect_ends_the_pause_after_a_failure(expired, provider):
    provider.script("token", FAILURES["invalid_grant"])
    assert expired.call().status_code == 502
    path = provider.consent(expired.payload("cloudsuite/drive-list")["authUrl"])
    assert outcome(expired.browser.get(path)) == "connected"
    assert expired.call().status_code == 200
