"""A session is replaced, ended or refreshed by others while its refresh still runs."""

import pytest

from service.database import refresh_leases
from tests.services import on_sqlite
from tests.sign_in.browser import in_a_tab
from tests.sign_in.stored_sessions import has_expired, pass_time, sessions


@pytest.fixture
def meanwhile(provider, monkeypatch):
    """Let something happen once while a refresh runs, after the provider has issued its tokens."""

    def plan(happens, is_issued=True):
        give = provider._token

        def give_late(form):
            monkeypatch.setattr(provider, "_token", give)
            answer = give(form) if is_issued else None
            happens()
            return answer or give(form)

        monkeypatch.setattr(provider, "_token", give_late)

    return plan


@on_sqlite
@pytest.mark.parametrize("is_repeated", [False, True])
def test_a_paused_refresh_revokes_nothing_of_a_later_one(
    app, browser, provider, meanwhile, is_repeated
):
    """A provider that keeps a refresh token repeats it in its answers, or leaves it out."""
    browser.sign_in()
    has_expired(app)
    [token] = provider.refreshes
    provider.rotates, provider.answered = False, {"refresh_token": token if is_repeated else None}

    def refresh_elsewhere():
        pass_time(app, refresh_leases.LONGEST_LEASE.total_seconds())
        assert in_a_tab(app, browser.session_id).get()[0] == 200

    meanwhile(refresh_elsewhere)
    assert in_a_tab(app, browser.session_id).get()[0] == 200
    assert (len(provider.asked("token")), provider.asked("revoke")) == (3, [])


@on_sqlite
def test_a_paused_refresh_that_is_refused_gets_the_token_of_a_later_one(
    app, browser, provider, meanwhile
):
    """The later one has used up the refresh token."""
    browser.sign_in()
    has_expired(app)
    later = []

    def refresh_elsewhere():
        pass_time(app, refresh_leases.LONGEST_LEASE.total_seconds())
        later.append(in_a_tab(app, browser.session_id).get())

    meanwhile(refresh_elsewhere, is_issued=False)
    paused = in_a_tab(app, browser.session_id).get()
    assert (paused, len(provider.asked("token"))) == (later[0], 3)
    assert paused[0] == 200


@on_sqlite
def test_who_signs_out_during_a_refresh_leaves_no_token_at_the_provider(
    app, browser, provider, meanwhile
):
    browser.sign_in()
    has_expired(app)
    meanwhile(lambda: browser.post("sign-out"))
    status, _ = in_a_tab(app, browser.session_id).get()
    assert (status, sessions(app), provider.refreshes) == (401, 0, {})


@on_sqlite
def test_a_sign_out_during_a_refresh_without_the_keys_leaves_no_token_either(
    app, browser, provider, meanwhile
):
    browser.sign_in()
    has_expired(app)
    provider.change_key()
    meanwhile(lambda: browser.post("sign-out"))
    status, _ = in_a_tab(app, browser.session_id).get()
    assert (status, sessions(app), provider.refreshes) == (401, 0, {})


@on_sqlite
def test_a_refresh_without_a_new_refresh_token_revokes_nothing(app, browser, provider, meanwhile):
    """The sign-out has revoked the only one."""
    browser.sign_in()
    has_expired(app)
    [token] = provider.refreshes
    provider.rotates, provider.answered = False, {"refresh_token": None}
    meanwhile(lambda: browser.post("sign-out"))
    assert in_a_tab(app, browser.session_id).get()[0] == 401
    assert [form.get("token") for form in provider.asked("revoke")] == [token]


def test_signing_in_again_during_a_refresh_revokes_nothing_of_the_same_person(
    app, browser, provider, meanwhile
):
    """A revocation at Keycloak ends all sessions of the person with this client."""
    browser.sign_in()
    has_expired(app)
    meanwhile(browser.sign_in)
    assert in_a_tab(app, browser.session_id).get()[0] == 401
    assert (provider.asked("revoke"), sessions(app)) == ([], 1)
    assert browser.token()["token"]


@pytest.mark.parametrize("is_issued", [False, True])
def test_a_late_refresh_changes_nothing_of_the_next_session(
    app, browser, other, provider, meanwhile, is_issued
):
    """SQLite gives the number of a deleted row to the next one."""
    browser.sign_in()
    has_expired(app)
    late = browser.session_id

    def take_over():
        browser.post("sign-out")
        provider.account = "bob"
        other.sign_in()

    meanwhile(take_over, is_issued)
    assert in_a_tab(app, late).get()[0] == 401
    assert (other.post("token").status_code, sessions(app)) == (200, 1)
