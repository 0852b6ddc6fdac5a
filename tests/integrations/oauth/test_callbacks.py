"""What can be done to the callback: only the user who began a consent can end it."""

import re
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from gevent.pool import Pool

from service.app_keys import APP_SETTINGS
from service.extensions import db
from service.integrations.consent.authority import Authority
from service.integrations.declare.setting import Setting
from service.integrations.models import Consent
from service.integrations.vendors.google.suite import OAUTH as GOOGLES
from service.times import now
from tests.app_database import lost_at
from tests.integrations.oauth import endpoints
from tests.integrations.oauth.pages import CALLBACK, age_consents, is_refused
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import EVENTS, READ, outcome, user
from tests.services import on_sqlite

AWAY = "reach its database"


@on_sqlite
def test_a_state_is_good_once(alice, provider):
    path = alice.consent()
    assert outcome(alice.browser.get(path)) == "connected"
    before = alice.row
    assert is_refused(alice.browser.get(path))
    assert len(provider.asked("token")) == 1
    assert alice.row == before


def test_a_state_lasts_ten_minutes(app, alice, provider):
    path = alice.consent()
    with app.app_context():
        lasts = db.session.scalar(db.select(Consent.expires_at)) - now()
        db.session.commit()
    assert timedelta(minutes=9, seconds=50) < lasts <= timedelta(minutes=10)
    age_consents(app, timedelta(minutes=10))
    assert is_refused(alice.browser.get(path))
    assert provider.asked("token") == []


@on_sqlite
def test_a_state_of_another_integration_is_unknown(app, alice, provider):
    app.extensions["proxy"].connections._oauth["othersuite"] = endpoints.OAUTH
    path = alice.consent()
    assert is_refused(alice.browser.get(path.replace("cloudsuite", "othersuite")))
    assert provider.asked("token") == []
    assert alice.browser.get(path.replace("cloudsuite", "elsewhere")).status_code == 404
    assert outcome(alice.browser.get(path)) == "connected", "it was not used up"


@on_sqlite
@pytest.mark.parametrize("statement", ["SELECT consents", "DELETE FROM consents"])
def test_an_outage_before_the_state_is_used_up_is_a_page_for_people(app, alice, statement):
    path = alice.consent()
    with lost_at(app, statement):
        assert is_refused(alice.browser.get(path), AWAY, status=503)
    assert outcome(alice.browser.get(path)) == "connected"


@on_sqlite
def test_an_outage_after_the_exchange_is_a_page_for_people(app, alice):
    path = alice.consent()
    with lost_at(app, "INSERT INTO grants"):
        assert is_refused(alice.browser.get(path), AWAY, status=503)
    assert outcome(alice.browser.get(alice.consent())) == "connected"


@on_sqlite
def test_an_outage_at_the_confirmation_is_a_page_for_people(app, alice):
    with lost_at(app, "SELECT consents"):
        page = alice.browser.post(CALLBACK, data={"token": "any"})
    assert is_refused(page, AWAY, status=503)


@on_sqlite
def test_a_page_says_that_it_belongs_to_the_sandbox(app, alice, monkeypatch):
    path, settings = f"{CALLBACK}?state=unknown&code=x", APP_SETTINGS.of(app)
    assert "No real one is called." not in alice.browser.get(path).text
    with monkeypatch.context() as patch:
        patch.setitem(app.extensions, APP_SETTINGS.name, replace(settings, sandbox=True))
        assert "No real one is called." in alice.browser.get(path).text


@on_sqlite
@pytest.mark.parametrize(
    "query",
    [
        "?state=unknown&code=x",
        "?code=x",
        "?state=&code=x",
        "",
        "?error=access_denied",
        "?error=access_denied&state=unknown",
        "?error_description=<script>alert(1)</script>&error=<script>alert(1)</script>",
        "?state=%ff%fe&code=%ff",
    ],
)
def test_without_a_state_of_ours_nothing_happens(alice, provider, query):
    alice.payload()
    page = alice.browser.get(CALLBACK + query)
    assert is_refused(page)
    assert "alert(" not in page.text
    assert provider.seen == []


@on_sqlite
@pytest.mark.parametrize("query", ["error=access_denied&error_description=<script>", "code="])
def test_a_consent_that_was_refused_uses_up_its_state(alice, provider, query):
    path = alice.consent()
    state = parse_qs(urlsplit(path).query)["state"][0]
    page = alice.browser.get(f"{CALLBACK}?state={state}&{query}")
    assert is_refused(page, "The access was not granted.")
    assert "<script>" not in page.text.replace('<script type="module" src=', "")
    assert is_refused(alice.browser.get(path))
    assert (provider.asked("token"), alice.row) == ([], None)


@on_sqlite
def test_who_only_looks_at_a_redirect_does_not_use_it_up(alice, provider):
    """What checks links before people open them asks with HEAD."""
    path = alice.consent()
    assert alice.browser.head(path).status_code == 401  # as of an address that is not public
    assert provider.asked("token") == []
    assert outcome(alice.browser.get(path)) == "connected"


@on_sqlite
def test_a_code_that_is_not_the_providers_connects_nothing(alice, provider):
    path = alice.consent()
    page = alice.browser.get(re.sub(r"code=[\w-]+", "code=made-up", path))
    assert is_refused(page, "The provider did not complete the connection.")
    assert alice.row is None


@on_sqlite
def test_a_verifier_fits_only_its_own_challenge(alice, provider):
    one, two = alice.consent(), alice.consent()
    mixed = re.sub(r"code=[\w-]+", re.search(r"code=[\w-]+", two)[0], one)
    assert is_refused(alice.browser.get(mixed), "The provider did not complete")
    assert alice.row is None


@pytest.mark.settings(database_pool_size=25)  # on a busy machine some would get none in two seconds
def test_of_many_callbacks_at_once_one_exchanges(app, alice, provider):
    path, cookie = alice.consent(), alice.browser.get_cookie(*COOKIE)

    def call(_):
        browser = app.test_client()
        browser.set_cookie(cookie.key, cookie.value, path=cookie.path)
        return outcome(browser.get(path))

    ended = Pool(20).map(call, range(20))
    assert sorted(ended) == ["connected"] + ["failed"] * 19
    assert len(provider.asked("token")) == 1


COOKIE = ("oauth_browser", "localhost", "/api/integrations/oauth")


def test_first_consents_at_once_join_in_one_grant(app, provider):
    provider.incremental = False
    endpoints = (READ, EVENTS, "cloudsuite/drive-list", "cloudsuite/contacts-list") * 2
    alices = [user(app, provider, "alice") for _ in endpoints]
    begun = [(one.browser, one.consent(name)) for one, name in zip(alices, endpoints, strict=True)]
    pages = Pool(8).map(lambda pair: pair[0].get(pair[1]), begun)
    assert [outcome(page) for page in pages] == ["connected"] * 8
    assert alices[0].flags == {"mailRead", "mail", "calendar", "drive", "contacts"}


def test_of_two_accounts_at_once_one_is_refused(app, provider):
    provider.incremental = False
    alices = [user(app, provider, "alice") for _ in range(8)]
    begun = [(one.browser, one.consent(account=f"{n % 2}")) for n, one in enumerate(alices)]
    pages = Pool(8).map(lambda pair: outcome(pair[0].get(pair[1])), begun)
    assert sorted(pages) == ["connected"] * 4 + ["failed"] * 4


@on_sqlite
def test_no_header_changes_where_the_redirect_goes(alice):
    evil = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "ftp"}
    url = alice.call(READ, headers=evil).json["data"]["authUrl"]
    redirect = parse_qs(urlsplit(url).query)["redirect_uri"]
    assert redirect == [f"http://127.0.0.1:8000{CALLBACK}"]


@on_sqlite
@pytest.mark.parametrize(
    "reply",
    [
        Reply(500, ""),
        Reply(200, "<html>"),
        Reply(200, {"access_token": ""}),
        Reply(200, {"access_token": "at-canary\n"}),
        Reply(200, {"access_token": "at-canary", "refresh_token": 7}),
        Reply(200, '{"access_token": "at-canary", "expires_in": 1e999}'),
        Reply(200, '{"access_token": "at-canary", "expires_in": NaN}'),
        Reply(200, "[" * 99999),
    ],
)
def test_an_exchange_without_usable_tokens_connects_nothing(alice, provider, reply):
    path = alice.consent()
    provider.script("token", reply)
    assert is_refused(alice.browser.get(path), "The provider did not complete")
    assert (alice.row, alice.status["connected"]) == (None, False)


ISSUER = "https://suite.example"


@on_sqlite
@pytest.mark.parametrize("answered", ["https://elsewhere.example", f"{ISSUER}/", "", None])
def test_the_answer_of_another_server_is_refused(alice, provider, issuer, answered):
    """RFC 9207: its code may be an attacker's, and its redirect leads here all the same."""
    path = alice.consent()
    answer = alice.browser.get(path if answered is None else f"{path}&iss={answered}")
    assert is_refused(answer, "This answer is not the provider")
    assert provider.asked("token") == []
    assert is_refused(alice.browser.get(f"{path}&iss={ISSUER}")), "the state is used up"


@on_sqlite
def test_the_answer_of_the_declared_server_connects(alice, issuer):
    assert outcome(alice.browser.get(f"{alice.consent()}&iss={ISSUER}")) == "connected"


@on_sqlite
def test_without_a_known_issuer_any_answer_connects(alice):
    """An operator has replaced the server and not said what its issuer is."""
    assert outcome(alice.browser.get(f"{alice.consent()}&iss={ISSUER}")) == "connected"


@pytest.mark.parametrize(
    ("settings", "issuer", "expected"),
    [
        ({}, "https://accounts.google.com", True),
        ({}, None, True),  # older answers have none
        ({}, ISSUER, False),
        ({"CLOUDSUITE_AUTHORIZE_URL": "https://elsewhere.example/auth"}, ISSUER, True),
        ({"CLOUDSUITE_ISSUER": ISSUER}, None, False),
    ],
)
def test_the_office_suite_of_googles_own_server(caller, settings, issuer, expected):
    client = {"CLOUDSUITE_CLIENT_ID": "id", "CLOUDSUITE_CLIENT_SECRET": "secret"}
    authority = Authority(caller, "cloudsuite", GOOGLES, {**client, **settings})
    assert authority.sends(issuer) is expected


def test_a_server_without_a_declared_issuer_may_send_one(caller):
    settings = {"CLOUDSUITE_CLIENT_ID": "id", "CLOUDSUITE_CLIENT_SECRET": "secret"}
    authority = Authority(caller, "cloudsuite", replace(GOOGLES, issuer=None), settings)
    assert authority.sends(ISSUER)


@pytest.fixture
def issuer(app):
    """The issuer of the server under test is declared and set."""
    connections = app.extensions["proxy"].connections
    declared = Setting("CLOUDSUITE_ISSUER", "the issuer", default="https://accounts.google.com")
    connections._oauth["cloudsuite"] = replace(connections._oauth["cloudsuite"], issuer=declared)
    app.extensions["vendor_settings"]["CLOUDSUITE_ISSUER"] = ISSUER
