"""A sign-in in a browser that has a session already."""

import pytest

from tests.faults.database_proxy import DatabaseProxy
from tests.services import on_sqlite, wait_for
from tests.sign_in.stored_sessions import has_expired, is_due, sessions


@pytest.fixture
def proxy(databases):
    made = DatabaseProxy(databases.cluster.directory)
    yield made
    made.stop()


@pytest.fixture
def database_url(request, databases):
    """Behind the proxy, where the test has one."""
    if "proxy" not in request.fixturenames:
        return databases.make("sqlite")
    return request.getfixturevalue("proxy").make_database(databases)


@on_sqlite
def test_signing_in_again_revokes_nothing_of_the_same_person(app, browser, provider):
    """A revocation at Keycloak ends all sessions of the person with this client."""
    browser.sign_in()
    browser.sign_in()
    assert (provider.asked("revoke"), sessions(app)) == ([], 1)
    is_due(app)
    assert browser.post("token").status_code == 200


@on_sqlite
def test_a_tab_of_the_session_before_does_not_end_the_new_one(app, browser, provider, monkeypatch):
    """The new cookie arrives while the tab waits for its token."""
    browser.sign_in()
    has_expired(app)
    give = provider._token

    def give_late(form):
        monkeypatch.undo()
        assert browser.sign_in() == ""
        return give(form)

    monkeypatch.setattr(provider, "_token", give_late)
    assert browser.post("token").status_code == 401
    assert browser.post("token").status_code == 200


@on_sqlite
def test_signing_in_as_another_person_revokes_the_token_of_the_first(app, browser, other, provider):
    browser.sign_in()
    other.sign_in()
    provider.account = "bob"
    browser.sign_in()
    assert (len(provider.asked("revoke")), sessions(app)) == (1, 2)
    assert list(provider.refreshes.values()) == ["ada", "bob"]


def test_a_sign_in_that_the_database_loses_leaves_the_session_before(app, browser, provider, proxy):
    browser.sign_in()
    provider.account = "bob"
    proxy.marker = b"DELETE FROM console_sessions"
    proxy.set("cut-before-commit")
    assert browser.sign_in() == "unavailable"
    assert (proxy.cuts, sessions(app), provider.asked("revoke")) == (1, 1, [])
    assert browser.token()["token"]
    assert browser.sign_in() == ""
    assert sessions(app) == 1


def test_signing_in_as_another_person_does_not_wait_for_a_revocation_that_hangs(
    browser, provider, monkeypatch
):
    browser.sign_in()
    answered, in_time = provider.hold_revocations(monkeypatch)
    provider.account = "bob"
    assert browser.sign_in() == ""
    assert list(provider.refreshes.values()) == ["ada", "bob"]
    assert browser.token()["token"]
    answered.set()
    wait_for(lambda: list(provider.refreshes.values()) == ["bob"])
    assert in_time == [True]
