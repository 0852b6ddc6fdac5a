"""Who pays for a call, and when nobody does."""

import gevent
import pytest
from gevent.event import Event

from config import ConfigError
from service import create_app
from service.auth import user_locks
from service.billing.models import Hold
from service.database.access import write_transaction
from service.database.time_limits import time_limit
from service.integrations import setup
from tests.integrations.oauth import endpoints
from tests.integrations.oauth.probe import SEARCH, balance_of
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import REFRESH_FAILED, SEND
from tests.services import on_sqlite, settings_for


@on_sqlite
def test_the_user_pays(alice, books):
    answer = alice.call(SEARCH, {"q": "x"}, headers={"X-Approval": "once"})
    assert answer.json == {"success": True, "data": {"asked": {"q": "x"}}}
    statement = alice.person.get("/api/credits").json
    assert (statement["balance"], statement["held"]) == (997, 0)
    entry = statement["entries"][0]
    assert (entry["amount"], entry["what"]) == (-3, SEARCH)
    assert entry["facts"] == {"integration": "probe", "approval": "once"}


@on_sqlite
@pytest.mark.settings(integrations_billing="probe=developer")
def test_under_developer_billing_the_owner_pays(alice, books):
    assert alice.call(SEARCH).status_code == 200
    assert balance_of(books, "owner") == 997
    assert books.charges("owner") == [-3]
    assert alice.person.get("/api/credits").json["balance"] == 1000
    listed = alice.person.get("/api/integrations/catalog").json["endpoints"]
    assert {item["billing"] for item in listed if item["integration"] == "probe"} == {"developer"}
    assert {item["billing"] for item in listed if item["integration"] == "cloudsuite"} == {"user"}


@pytest.mark.parametrize("billing", ["cloudsuite=developer", "probe=user,cloudsuite=developer"])
def test_the_office_suite_is_never_the_developers(billing):
    settings = settings_for("sqlite:///x.db", integrations_billing=billing)
    with pytest.raises(ConfigError, match="^INTEGRATIONS_BILLING: must"):
        setup.check_billing(endpoints.catalog(), settings)


@on_sqlite
@pytest.mark.settings(integrations_billing="nobody=developer")
def test_an_integration_that_there_is_not_is_refused_at_boot(settings):
    with pytest.raises(ConfigError, match="^INTEGRATIONS_BILLING: no integration .*'nobody'"):
        create_app(settings)


@on_sqlite
@pytest.mark.settings(starting_credits=2)
def test_without_enough_credits_nothing_is_sent(alice, provider, books):
    answer = alice.call(SEARCH)
    assert (answer.status_code, answer.json["error"]) == (402, "insufficient_credits")
    assert (answer.json["needed"], answer.json["available"]) == (3, 2)
    assert (provider.seen, books.charges()) == ([], [])
    assert alice.person.get("/api/credits").json["balance"] == 2


@on_sqlite
@pytest.mark.settings(starting_credits=1)
def test_without_enough_credits_no_token_is_refreshed(expired, provider, books):
    expired.connect(SEND)
    expired.expire()
    before = len(provider.seen)
    assert expired.call(SEND).status_code == 402
    assert len(provider.seen) == before


@on_sqlite
@pytest.mark.settings(starting_credits=2, integrations_billing="probe=developer")
def test_the_balance_of_the_owner_is_not_shown(alice):
    answer = alice.call(SEARCH)
    assert (answer.status_code, answer.json["needed"]) == (402, 3)
    assert "available" not in answer.json


@pytest.mark.parametrize("reply", [Reply(500, ""), Reply(400, {}), Reply(429, {}), Reply(200, "-")])
@on_sqlite
def test_a_failed_call_is_free(alice, provider, books, reply):
    provider.script("probe", reply)
    assert alice.call(SEARCH).json["success"] is False
    assert (balance_of(books, "alice"), books.charges()) == (1000, [])


@on_sqlite
def test_a_consent_that_is_needed_is_free(alice, provider, books):
    alice.connect(SEND)
    provider.access.clear()
    assert alice.payload(SEND)
    assert (balance_of(books, "alice"), books.charges()) == (1000, [])
    alice.connect(SEND)
    alice.expire()
    provider.refreshes.clear()
    assert alice.call(SEND).json == REFRESH_FAILED
    assert (balance_of(books, "alice"), books.charges()) == (1000, [])


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_what_was_held_is_freed_when_the_callers_time_is_over(app, alice, provider, books):
    """A tool's time limit applies to its statements; this one waits for the user's row."""
    is_locked = Event()

    def lock():
        with app.app_context(), write_transaction() as session:
            user_locks.lock_row(session, "alice")
            is_locked.set()
            gevent.sleep(0.3)

    def late(_seen):
        gevent.sleep(2)
        locking.start()
        is_locked.wait()
        return Reply(500, "")

    locking = gevent.Greenlet(lock)
    provider.script("probe", late)
    with time_limit(2):
        assert alice.call(SEARCH, headers={"Idempotency-Key": "k"}).status_code == 502
    locking.get(timeout=30)
    assert [hold.state for hold in books.rows(Hold)] == ["released"]
