"""The console's sessions: refreshed by one request at a time, and how they end."""

import json

import gevent
import gevent.event
import pytest
from sqlalchemy import select

from config import ConfigError, sealing_keys
from service import create_app
from service.app_keys import APP_SETTINGS
from service.auth.users import rights_cache
from service.database import refresh_leases
from service.database.access import write_transaction
from service.database.clock import from_now
from service.lifecycle import LIFECYCLE
from service.sealing import places
from service.sealing.seal import Sealer
from service.sign_in import identity
from service.sign_in.models import ConsoleSession
from service.sign_in.sessions import SESSIONS
from service.upkeep import rotation, sweeping
from tests.app_database import is_lock_awaited, lost_at
from tests.described_answers import is_described
from tests.services import close, on_sqlite, settings_for, wait_for
from tests.sign_in.browser import in_a_tab
from tests.sign_in.identity_provider import AUDIENCE
from tests.sign_in.stored_sessions import change, has_expired, is_due, pass_time, sessions


def test_a_token_is_refreshed_before_it_ends(app, browser, provider):
    browser.sign_in()
    first = browser.token()["token"]
    is_due(app)
    second = browser.token()["token"]
    assert second != first
    assert browser.api(Authorization=f"Bearer {second}") == 200
    assert browser.token()["token"] == second
    assert [form["grant_type"] for form in provider.asked("token")][1:] == ["refresh_token"]


def test_many_tabs_at_once_make_one_refresh(app, browser, provider):
    """A provider that rotates refresh tokens ends the session at a second one."""
    browser.sign_in()
    has_expired(app)
    tabs = [in_a_tab(app, browser.session_id) for _ in range(12)]
    answers = {tab.get() for tab in gevent.joinall(tabs)}
    assert [status for status, _ in answers] == [200]
    assert len(provider.asked("token")) == 2


@on_sqlite
def test_an_outage_of_the_database_at_a_sign_out_is_described(app, browser):
    browser.sign_in()
    with lost_at(app, "DELETE FROM console_sessions"):
        answer = browser.post("sign-out")
    assert answer.status_code == 503
    assert is_described(browser.client, "post", "/console/sign-out", answer)


def test_a_refresh_is_the_only_one_for_as_long_as_it_may_take(app, browser, provider, monkeypatch):
    browser.sign_in()
    has_expired(app)
    give, tabs = provider._token, []

    def give_late(form):
        monkeypatch.undo()
        pass_time(app, 4 * identity.ANSWER_SECONDS + refresh_leases.INSIST_SECONDS)
        tabs.append(in_a_tab(app, browser.session_id))
        gevent.sleep(0.5)
        return give(form)

    monkeypatch.setattr(provider, "_token", give_late)
    tabs.append(in_a_tab(app, browser.session_id))
    tabs[0].join()
    assert {tab.get() for tab in tabs} == {tabs[0].value}
    assert len(provider.asked("token")) == 2


@on_sqlite
def test_while_the_provider_is_away_the_old_token_serves_to_its_end(app, browser, provider):
    browser.sign_in()
    first = browser.token()["token"]
    is_due(app)
    provider.is_away = True
    token = browser.token()
    assert (token["token"], token["refreshIn"]) == (first, 5.0)
    has_expired(app)
    assert browser.post("token").status_code == 503
    provider.is_away = False
    change(app, failed_at=from_now(-refresh_leases.COOL_DOWN.total_seconds()))
    assert browser.token()["token"] != first


@on_sqlite
def test_a_rotated_refresh_token_is_kept_while_the_keys_are_away(app, browser, provider):
    """A worker that has just started has no keys, and the old refresh token is used up."""
    browser.sign_in()
    has_expired(app)
    worker = create_app(APP_SETTINGS.of(app))
    provider.keys_are_away = True
    browser.client, old = worker.test_client(), browser.session_id
    browser.client.set_cookie("console_session", old)
    assert browser.post("token").status_code == 503
    close(worker)
    change(app, failed_at=None)
    browser.client = app.test_client()
    browser.client.set_cookie("console_session", old)
    assert browser.post("token").status_code == 200


@on_sqlite
def test_a_key_that_is_not_known_yet_ends_no_session(app, browser, provider):
    """The key set is fetched once a minute at most: it may be older than the provider's new key."""
    browser.sign_in()
    first = browser.token()["token"]
    is_due(app)
    provider.change_key()
    assert browser.token()["token"] == first
    is_known(app, provider)
    change(app, failed_at=None)
    assert browser.token()["token"] != first


@on_sqlite
def test_a_session_outlives_a_key_that_the_provider_withdraws(app, browser, provider):
    browser.sign_in()
    first = browser.token()["token"]
    provider.change_key()
    is_known(app, provider)
    second = browser.token()["token"]
    assert second != first
    assert browser.api(Authorization=f"Bearer {second}") == 200
    assert len(provider.asked("token")) == 2


def is_known(app, provider):
    """Each source of keys has fetched the set a minute later, and no old token is remembered."""
    verifier = app.extensions["verifier"]
    verifier._verified.clear()
    for keys in (verifier._keys, app.extensions["sessions"]._provider._keys):
        keys._fetched_at = float("-inf")
        keys.key_set(provider.key.kid)


@on_sqlite
def test_a_session_of_id_tokens_ends_if_refreshes_bring_none(app, browser, provider, told):
    """An answer to a refresh needs no ID token (OpenID Connect Core 1.0, section 12.2)."""
    provider.audience, provider.claims = None, {"aud": ["the-console", "the-api"]}
    browser.sign_in()
    provider.answered = {"id_token": None}
    provider.change_key()
    is_known(app, provider)
    assert browser.post("token").status_code == 401
    assert ([line["why"] for line in told()], sessions(app)) == (["no ID token"], 0)


@on_sqlite
def test_a_session_of_access_tokens_needs_no_id_token_of_a_refresh(app, browser, provider):
    browser.sign_in()
    first = browser.token()["token"]
    is_due(app)
    provider.answered = {"id_token": None}
    provider.change_key()
    assert browser.token()["token"] == first, "the new key is not known yet"
    is_known(app, provider)
    change(app, failed_at=None)
    assert browser.token()["token"] != first


@on_sqlite
def test_a_refresh_that_the_provider_refuses_ends_the_session(app, browser, provider):
    browser.sign_in()
    is_due(app)
    provider.refreshes.clear()
    assert browser.post("token").status_code == 401
    assert sessions(app) == 0


@on_sqlite
@pytest.mark.parametrize("code", ["invalid_client", "unauthorized_client"])
def test_a_session_outlives_a_refusal_of_this_service_as_a_client(
    app, browser, provider, monkeypatch, code
):
    """The client's secret has expired, or was set wrongly: its operator will set another."""
    browser.sign_in()
    first = browser.token()["token"]
    is_due(app)
    monkeypatch.setattr(provider, "_token", lambda form: (401, {"error": code}))
    assert browser.token()["token"] == first
    has_expired(app)
    assert browser.post("token").status_code == 503
    monkeypatch.undo()
    change(app, failed_at=None)
    assert browser.token()["token"] != first


@on_sqlite
def test_a_refresh_whose_tokens_are_too_large_for_a_header_says_so(
    app, browser, provider, monkeypatch
):
    browser.sign_in()
    has_expired(app)
    signed = provider._signed
    monkeypatch.setattr(provider, "_signed", lambda **claims: signed(**claims, groups="g" * 6000))
    refused = browser.post("token")
    assert refused.status_code == 502
    assert "at most 8100" in refused.json["message"]


@on_sqlite
def test_a_refresh_whose_tokens_are_not_accepted_names_the_settings(app, browser, provider):
    """The operator has changed AUTH_AUDIENCE, for example."""
    browser.sign_in()
    first = browser.token()["token"]
    is_due(app)
    provider.audience = "another-api"
    assert browser.token()["token"] == first
    has_expired(app)
    refused = browser.post("token")
    assert (refused.status_code, refused.json["error"]) == (502, "upstream_provider_error")
    assert "AUTH_AUDIENCE" in refused.json["message"]
    assert is_described(browser.client, "post", "/console/token", refused)
    provider.audience = AUDIENCE
    change(app, failed_at=None)
    assert browser.token()["token"] != first


@on_sqlite
def test_a_refresh_for_somebody_else_ends_the_session(app, browser, provider, told):
    browser.sign_in()
    is_due(app)
    provider.refreshes = dict.fromkeys(provider.refreshes, "eve")
    provider.answered = {"id_token": None}
    assert browser.post("token").status_code == 401
    assert sessions(app) == 0
    assert [(line["event"], line["why"]) for line in told()] == [
        ("session ended", "tokens: another subject")
    ]


@on_sqlite
def test_a_refresh_with_an_id_token_of_somebody_else_ends_the_session(app, browser, provider, told):
    browser.sign_in()
    is_due(app)
    provider.claims = {"sub": "eve"}
    assert browser.post("token").status_code == 401
    assert sessions(app) == 0
    assert [line["why"] for line in told()] == ["ID token: another subject"]


@on_sqlite
def test_without_a_refresh_token_a_session_ends_with_its_token(app, browser, provider):
    provider.answered = {"refresh_token": None}
    browser.sign_in()
    is_due(app)
    assert browser.token()["refreshIn"] is None
    has_expired(app)
    assert browser.post("token").status_code == 401
    assert (sessions(app), len(provider.asked("token"))) == (0, 1)


@on_sqlite
def test_an_empty_token_of_an_answer_is_as_none(app, browser, provider):
    """Some providers write the names of all tokens."""
    provider.answered = {"refresh_token": ""}
    assert browser.sign_in() == ""
    assert browser.token()["refreshIn"] is None
    provider.answered = {"id_token": ""}
    assert browser.sign_in() == "refused"
    provider.answered = {}
    browser.sign_in()
    is_due(app)
    provider.answered = {"id_token": ""}
    browser.token()
    assert len(provider.asked("token")) == 4


@pytest.fixture
def told(capsys):
    """Each line of the log about a refresh that has failed."""

    def read():
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
        return [line for line in lines if line["event"] in ("not refreshed", "session ended")]

    return read


@on_sqlite
def test_an_operator_finds_in_the_log_why_a_refresh_failed(app, browser, provider, told):
    browser.sign_in()
    is_due(app)
    provider.is_away = True
    browser.token()
    [line] = told()
    assert (line["error"], line["why"]) == ("ProviderAway", "tokens: status 503")
    provider.is_away, provider.method = False, "none"
    change(app, failed_at=None, lease_until=None)
    browser.post("token")
    [line] = told()
    assert (line["event"], line["why"]) == ("not refreshed", "tokens: invalid_client")
    provider.method = "client_secret_basic"
    provider.refreshes.clear()
    change(app, failed_at=None, lease_until=None)
    browser.post("token")
    [line] = told()
    assert (line["event"], line["why"]) == ("session ended", "tokens: invalid_grant")


@on_sqlite
def test_signing_out_ends_the_session_here_and_at_the_provider(app, browser, provider):
    browser.sign_in()
    session_id = browser.session_id
    answer = browser.post("sign-out").json
    assert answer["endSession"].startswith(f"{provider.url}/logout?id_token_hint=ey")
    assert provider.refreshes == {}
    assert browser.session_id == ""
    browser.client.set_cookie("console_session", session_id)
    assert browser.post("token").status_code == 401
    assert browser.post("sign-out").json == {"endSession": None}


@on_sqlite
@pytest.mark.parametrize(
    "url", [None, "http://id.example/end", "javascript:alert(1)", "https://[x/end"]
)
def test_a_provider_need_not_offer_revocation_or_a_sign_out(browser, provider, url):
    """An address that is not safe is as none."""
    provider.described = {"revocation_endpoint": url, "end_session_endpoint": url}
    browser.sign_in()
    assert browser.post("sign-out").json == {"endSession": None}
    assert browser.session_id == ""


@on_sqlite
def test_signing_out_works_while_the_provider_is_away(app, browser, provider):
    browser.sign_in()
    provider.is_away = True
    assert browser.post("sign-out").status_code == 200
    assert sessions(app) == 0


@on_sqlite
def test_signing_out_does_not_wait_for_a_provider_that_hangs(app, browser, provider, monkeypatch):
    """A worker that ends waits for the revocation."""
    browser.sign_in()
    answered, in_time = provider.hold_revocations(monkeypatch)
    assert browser.post("sign-out").json["endSession"].startswith(f"{provider.url}/logout")
    assert not LIFECYCLE.of(app).is_done
    answered.set()
    wait_for(lambda: not provider.refreshes)
    wait_for(lambda: LIFECYCLE.of(app).is_done)
    assert (in_time, browser.session_id) == ([True], "")


def test_signing_out_revokes_what_a_refresh_has_just_stored(app, browser, provider):
    browser.sign_in()
    sealer = SESSIONS.of(app)._sealer
    with app.app_context(), write_transaction() as session:
        row = session.scalars(select(ConsoleSession).with_for_update()).one()
        place = places.console_session(row.id_hash, "refresh_token")
        signing_out = gevent.spawn(browser.post, "sign-out")
        wait_for(is_lock_awaited)
        row.refresh_token = sealer.seal("newest", place)
    provider.refreshes = {"newest": "ada"}
    assert signing_out.get(timeout=30).status_code == 200
    wait_for(lambda: not provider.refreshes)


def test_a_disabled_users_session_ends(app, browser):
    browser.sign_in()
    app.test_cli_runner().invoke(args=["users", "disable", "ada"])
    rights_cache.clear()
    assert browser.post("token").status_code == 401
    assert sessions(app) == 0
    assert browser.sign_in() == "not-admitted"


@on_sqlite
def test_an_erased_users_sessions_are_deleted(app, browser):
    browser.sign_in()
    done = app.test_cli_runner().invoke(args=["users", "erase", "ada", "--yes"])
    assert done.exit_code == 0, done.output
    assert sessions(app) == 0
    assert browser.post("token").status_code == 401


def test_old_sessions_are_swept(app, browser):
    browser.sign_in()
    change(app, ends_at=from_now(-1))
    assert browser.post("token").status_code == 401
    with app.app_context():
        sweeping.sweep()
    assert sessions(app) == 0


@on_sqlite
def test_sealing_keys_can_be_rotated(app, browser):
    browser.sign_in()
    key = "n:" + "B" * 43 + "="
    keys = (*sealing_keys(key), *APP_SETTINGS.of(app).token_encryption_keys)
    with app.app_context():
        result = rotation.rotate(Sealer(keys))
    assert (result.resealed, result.unopened) == (3, 0)
    app.extensions["sessions"]._sealer = Sealer(keys[:1])
    assert browser.token()["token"]
    app.extensions["sessions"]._sealer = Sealer(keys[1:])  # the key of the session is gone
    assert browser.post("token").status_code == 401
    assert sessions(app) == 0


ISSUER = {"console_oidc_issuer": "https://id.example.com"}
CLIENT = {"console_oidc_client_id": "us"}
KEYS = {"auth_jwks_url": "https://id.example.com/jwks", "auth_issuer": "https://id.example.com"}


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (ISSUER, "CONSOLE_OIDC_CLIENT_ID"),
        (CLIENT, "CONSOLE_OIDC_ISSUER"),
        ({"console_oidc_client_secret": "s"}, "CONSOLE_OIDC_ISSUER"),
        ({**ISSUER, **CLIENT}, "AUTH_JWKS_URL"),
        ({**KEYS, **CLIENT, "console_oidc_issuer": "http://id.example.com"}, "CONSOLE_OIDC_ISSUER"),
        ({**KEYS, **ISSUER, **CLIENT, "public_url": "http://app.example.com", "sandbox": "0"},
         "PUBLIC_URL"),
        ({**KEYS, **ISSUER, **CLIENT, "console_oidc_scopes": "email"}, "CONSOLE_OIDC_SCOPES"),
    ],
)  # fmt: skip
def test_settings_that_are_set_in_part_stop_the_start(values, named, tmp_path):
    with pytest.raises(ConfigError) as raised:
        create_app(settings_for(f"sqlite:///{tmp_path}/a.db", **values))
    assert raised.value.message.startswith(named)
