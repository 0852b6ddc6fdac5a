"""A user who is disabled or erased while a consent is under way ends up with nothing."""

from datetime import UTC, datetime

import gevent
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError

from service.activity import calls
from service.activity.models import IntegrationCall
from service.auth import users
from service.auth.users import rights_cache
from service.chat.finding import index
from service.database.access import write_transaction
from service.extensions import db
from service.integrations.consent.grants import Grants
from service.integrations.models import Consent, Grant
from service.records.models import Outbox
from tests.integrations.oauth.pages import CALLBACK, form_token, is_refused
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import READ
from tests.postgres import LOCK_WAITS
from tests.services import on_sqlite, wait_for
from tests.user_erasure import disable, erase

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
NOT_NOW = "can&#39;t connect an account now"


def left(app) -> int:
    """How many grants are stored, and consents that can still be finished."""
    can_go_on = Consent.verifier.is_not(None) | Consent.tokens.is_not(None)
    with app.app_context():
        grants = db.session.scalars(db.select(Grant)).all()
        consents = db.session.scalars(db.select(Consent).where(can_go_on)).all()
        db.session.commit()
    return len(grants) + len(consents)


def end(app, what) -> None:
    """Disable or erase the user, who may come back then."""
    disable(app) if what == "disabled" else erase(app)
    if what == "back again":
        with app.app_context():
            users.enrol("alice", issued=4e9)


@on_sqlite
def test_a_disabled_user_can_not_finish_a_consent(app, alice, provider):
    path = alice.consent()
    disable(app)
    assert is_refused(alice.browser.get(path), NOT_NOW)
    assert (alice.row, provider.asked("token"), left(app)) == (None, [], 0)


@on_sqlite
def test_a_disabled_user_can_not_confirm_a_consent(app, alice, provider):
    token = form_token(app.test_client().get(alice.consent()))
    disable(app)
    assert is_refused(app.test_client().post(CALLBACK, data={"token": token}), NOT_NOW)
    assert (alice.row, left(app)) == (None, 0)


@on_sqlite
def test_an_erased_user_has_no_consent_under_way(app, alice, provider):
    path, token = alice.consent(), form_token(app.test_client().get(alice.consent()))
    erase(app)
    assert is_refused(alice.browser.get(path))
    assert is_refused(app.test_client().post(CALLBACK, data={"token": token}))
    assert left(app) == 0


@pytest.mark.parametrize("browser", ["the same", "another"])
@pytest.mark.parametrize("what", ["disabled", "erased", "back again"])
def test_a_user_who_is_erased_during_the_exchange_keeps_no_grant(
    app, alice, provider, browser, what
):
    path = alice.consent()
    provider.script("token", lambda seen: gevent.spawn(end, app, what).join())
    client = alice.browser if browser == "the same" else app.test_client()
    assert is_refused(client.get(path), NOT_NOW)
    assert left(app) == 0
    revoked = [seen.form["token"] for seen in provider.asked("revoke")]
    assert len(revoked) == (0 if what == "disabled" else 1)


@pytest.mark.parametrize("client", ["configured", "no client"])
@pytest.mark.parametrize("what", ["disabled", "erased", "back again"])
def test_a_user_who_is_erased_during_the_confirmation_keeps_no_grant(
    app, alice, provider, monkeypatch, what, client
):
    token, store = form_token(app.test_client().get(alice.consent())), Grants.store
    if client == "no client":
        app.extensions["vendor_settings"].pop("CLOUDSUITE_CLIENT_SECRET")

    def store_too_late(*arguments):
        gevent.spawn(end, app, what).join()
        return store(*arguments)

    monkeypatch.setattr(Grants, "store", store_too_late)
    assert is_refused(app.test_client().post(CALLBACK, data={"token": token}), NOT_NOW)
    assert left(app) == 0
    revoked = [seen.form["token"] for seen in provider.asked("revoke")]
    assert len(revoked) == (what != "disabled" and client == "configured")


def test_erasing_revokes_what_was_granted(app, connected, provider):
    report = erase(app)
    assert (report.known, report.unrevoked) == (True, {})
    assert [seen.form for seen in provider.asked("revoke")] == [{"token": "rt-canary-2"}]
    assert left(app) == 0


@on_sqlite
def test_erasing_needs_no_client_and_says_what_it_could_not_revoke(app, connected, provider):
    settings = app.extensions["vendor_settings"]
    settings.pop("CLOUDSUITE_CLIENT_SECRET")
    erased = erase(app)
    reason = "CLOUDSUITE_CLIENT_SECRET is not set on this server"
    assert erased.unrevoked == {"cloudsuite": reason}
    assert left(app) == 0
    with app.app_context():
        assert [user.subject for user in users.all_users()] == []
        db.session.commit()


@on_sqlite
def test_erasing_clears_a_grant_of_an_integration_that_is_gone(app, connected, provider):
    connected.change(integration="elsewhere")
    assert "no such integration" in erase(app).unrevoked["elsewhere"]
    assert (left(app), provider.asked("revoke")) == (0, [])


@on_sqlite
def test_a_vendor_that_refuses_a_revocation_is_named(app, connected, provider):
    provider.script("revoke", Reply(500, {}))
    assert list(erase(app).unrevoked) == ["cloudsuite"]
    assert left(app) == 0


@on_sqlite
def test_a_consent_can_not_be_begun_by_who_was_just_erased(app, alice, provider):
    assert alice.call(READ).status_code == 200
    erase(app)
    rights_cache.clear()
    assert alice.call(READ).status_code == 401
    assert left(app) == 0


@on_sqlite
def test_an_erased_user_in_the_cache_of_a_worker_begins_no_consent(app, alice, monkeypatch):
    for _ in range(2):  # the first makes the row
        assert alice.call(READ).status_code == 200
    known = rights_cache.peek("alice")
    assert known
    erase(app)
    rights_cache._rights["alice"] = known, float("inf")
    assert alice.call(READ).status_code == 401
    assert left(app) == 0


@on_sqlite
def test_disconnecting_works_without_a_client(app, connected, provider):
    app.extensions["vendor_settings"].pop("CLOUDSUITE_CLIENT_ID")
    assert connected.disconnect().status_code == 200
    assert connected.row is None


@on_sqlite
def test_erasing_revokes_also_if_the_database_fails_after_it(app, connected, provider, monkeypatch):
    monkeypatch.setattr(index, "forget_deleted", lambda: db.session.execute(text("nonsense")))
    with pytest.raises(OperationalError):
        erase(app)
    assert [seen.form for seen in provider.asked("revoke")] == [{"token": "rt-canary-2"}]
    assert left(app) == 0


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_an_erased_users_old_calls_are_not_told_by_a_sweeper(app, alice):
    call = dict.fromkeys(("call_id", "endpoint", "integration", "payer", "door", "status"), "x")
    with app.app_context():
        users.enrol("alice", issued=1.0)
        with write_transaction() as session:
            session.add(IntegrationCall(**call, user_id="alice", ms=1, created_at=LONG_AGO))
        with write_transaction() as session, db.engine.connect() as other:
            watching = other.execution_options(isolation_level="AUTOCOMMIT")
            assert calls.sweep(session) == 1
            erasing_them = gevent.spawn(erase, app)
            wait_for(lambda: watching.exec_driver_sql(LOCK_WAITS).scalar() or erasing_them.ready())
        erasing_them.get(timeout=30)
        assert db.session.scalars(select(Outbox.owner).where(Outbox.owner == "alice")).all() == []
        db.session.commit()
