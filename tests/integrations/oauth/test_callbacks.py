"""What can be done to the callback: only the user who began a consent can end it."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from gevent.pool import Pool
from sqlalchemy import select

from service.database import write_transaction
from service.extensions import db, now
from service.integrations import consents
from service.integrations.models import Consent
from tests.integrations.oauth import suite
from tests.integrations.oauth.conftest import everything_in
from tests.integrations.oauth.provider import Reply
from tests.integrations.oauth.user import EVENTS, READ, outcome, user
from tests.services import on_sqlite

CALLBACK = "/api/integrations/oauth/cloudsuite/callback"
GONE = "This link has been used already, or is too old."


def refused(page, text=GONE) -> bool:
    assert (page.status_code, outcome(page)) == (400, "failed"), page.text
    assert text in page.text
    return True


def form_token(page) -> str:
    return re.search(r'name="token" value="([\w-]+)"', page.text)[1]


def later(app, how_long: timedelta) -> None:
    """Every consent under way grows older."""
    with app.app_context(), write_transaction() as session:
        for consent in session.scalars(select(Consent)):
            consent.expires_at -= how_long


@pytest.fixture
def stranger(app):
    """Another browser, in which nobody is signed in."""
    return app.test_client()


def test_a_state_is_good_once(alice, provider):
    path = alice.consent()
    assert outcome(alice.browser.get(path)) == "connected"
    before = alice.row
    assert refused(alice.browser.get(path))
    assert len(provider.asked("token")) == 1
    assert alice.row == before


def test_a_state_lasts_ten_minutes(app, alice, provider):
    path = alice.consent()
    with app.app_context():
        lasts = db.session.scalar(db.select(Consent.expires_at)) - now()
        db.session.commit()
    assert timedelta(minutes=9, seconds=50) < lasts <= timedelta(minutes=10)
    later(app, timedelta(minutes=10))
    assert refused(alice.browser.get(path))
    assert provider.asked("token") == []


@on_sqlite
def test_a_state_of_another_integration_is_unknown(app, alice, provider):
    app.extensions["proxy"].connections._oauth["othersuite"] = suite.OAUTH
    path = alice.consent()
    assert refused(alice.browser.get(path.replace("cloudsuite", "othersuite")))
    assert provider.asked("token") == []
    assert alice.browser.get(path.replace("cloudsuite", "elsewhere")).status_code == 404
    assert outcome(alice.browser.get(path)) == "connected", "it was not used up"


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
    assert refused(page)
    assert "alert(" not in page.text
    assert provider.seen == []


@on_sqlite
@pytest.mark.parametrize("query", ["error=access_denied&error_description=<script>", "code="])
def test_a_consent_that_was_refused_uses_up_its_state(alice, provider, query):
    path = alice.consent()
    state = parse_qs(urlsplit(path).query)["state"][0]
    page = alice.browser.get(f"{CALLBACK}?state={state}&{query}")
    assert refused(page, "The access was not granted.")
    assert "<script>" not in page.text.replace('<script type="module" src=', "")
    assert refused(alice.browser.get(path))
    assert (provider.asked("token"), alice.row) == ([], None)


@on_sqlite
def test_a_code_that_is_not_the_providers_connects_nothing(alice, provider):
    path = alice.consent()
    page = alice.browser.get(re.sub(r"code=[\w-]+", "code=made-up", path))
    assert refused(page, "The provider did not complete the connection.")
    assert alice.row is None


@on_sqlite
def test_a_verifier_fits_only_its_own_challenge(alice, provider):
    one, two = alice.consent(), alice.consent()
    mixed = re.sub(r"code=[\w-]+", re.search(r"code=[\w-]+", two)[0], one)
    assert refused(alice.browser.get(mixed), "The provider did not complete")
    assert alice.row is None


def test_another_browser_is_asked_first(alice, stranger, provider):
    page = stranger.get(alice.consent())
    assert (page.status_code, outcome(page)) == (200, "unconfirmed")
    assert "<dd>alice</dd>" in page.text
    assert "<dd>one@example.com</dd>" in page.text
    assert alice.row is None
    assert f'action="{CALLBACK}"' in page.text, "without code and state"
    done = stranger.post(CALLBACK, data={"token": form_token(page)})
    assert (done.status_code, outcome(done)) == (200, "connected")
    assert alice.flags == {"mailRead", "mail"}


@on_sqlite
def test_another_users_browser_is_asked_too(alice, bob):
    bob.payload()
    page = bob.browser.get(alice.consent())
    assert outcome(page) == "unconfirmed"
    assert (alice.row, bob.row) == (None, None)


def test_a_page_that_got_several_urls_may_use_any_of_them(alice):
    first, second, _third = (alice.consent(endpoint) for endpoint in (READ, EVENTS, READ))
    assert outcome(alice.browser.get(first)) == "connected"
    assert outcome(alice.browser.get(second)) == "connected"
    assert alice.flags == {"mailRead", "mail", "calendar"}


@on_sqlite
def test_the_confirm_page_escapes_what_it_shows(app, provider, stranger):
    mallory = user(app, provider, "<b>mallory</b>")
    page = stranger.get(mallory.consent(account='"><script>alert(1)</script>'))
    assert "&lt;b&gt;mallory&lt;/b&gt;" in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;@example.com" in page.text
    assert "<b>" not in page.text


def test_a_form_is_good_once(alice, stranger, provider):
    token = form_token(stranger.get(alice.consent()))
    assert outcome(stranger.post(CALLBACK, data={"token": token})) == "connected"
    alice.disconnect()
    assert refused(stranger.post(CALLBACK, data={"token": token}))
    assert alice.row is None


def test_what_nobody_confirms_is_dropped(app, alice, stranger, provider):
    token = form_token(stranger.get(alice.consent()))
    later(app, timedelta(minutes=10))
    assert refused(stranger.post(CALLBACK, data={"token": token}))
    with app.app_context(), write_transaction() as session:
        consents.sweep(session, now())
    with app.app_context():
        assert db.session.scalars(db.select(Consent)).all() == []
        db.session.commit()
    assert (alice.row, provider.asked("revoke")) == (None, [])


@on_sqlite
def test_a_form_without_its_token_does_nothing(alice, stranger, provider):
    path = alice.consent()
    state = parse_qs(urlsplit(path).query)["state"][0]
    for data in ({}, {"token": ""}, {"token": "x"}, {"token": state}):
        assert refused(stranger.post(CALLBACK, data=data))
    assert refused(stranger.post(path))
    assert provider.asked("token") == []


@on_sqlite
def test_a_form_token_is_no_state(alice, stranger, provider):
    token = form_token(stranger.get(alice.consent()))
    assert refused(stranger.get(f"{CALLBACK}?state={token}&code=x"))
    assert (len(provider.asked("token")), alice.row) == (1, None)


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


def cookie_flags(alice) -> set[str]:
    _, *flags = alice.call(READ).headers["Set-Cookie"].split("; ")
    return set(flags) - {flag for flag in flags if flag.startswith("Expires=")}


FLAGS = {"HttpOnly", "SameSite=Lax", "Path=/api/integrations/oauth", "Max-Age=3600"}


@on_sqlite
def test_the_cookie_is_only_for_the_callback(alice):
    assert cookie_flags(alice) == FLAGS
    alice.connect()
    assert "Set-Cookie" not in alice.call(READ).headers


@on_sqlite
@pytest.mark.settings(public_url="https://app.example.com")
def test_under_https_the_cookie_is_secure(alice):
    assert cookie_flags(alice) == {*FLAGS, "Secure"}
    url = alice.payload()["authUrl"]
    redirect = parse_qs(urlsplit(url).query)["redirect_uri"]
    assert redirect == [f"https://app.example.com{CALLBACK}"]


@on_sqlite
def test_the_pages_can_not_be_kept_framed_or_scripted(alice, stranger):
    pages = [stranger.get(alice.consent()), alice.browser.get(alice.consent())]
    pages.append(stranger.get(CALLBACK))
    for page in pages:
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        rules = page.headers["Content-Security-Policy"].split("; ")
        policy = dict(rule.split(" ", 1) for rule in rules)
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["form-action"] == policy["script-src"] == "'self'"
        assert "<script>" not in page.text
        assert page.mimetype == "text/html"


@on_sqlite
def test_what_is_kept_of_a_consent_is_hashed_or_sealed(app, alice, stranger, provider):
    page = stranger.get(alice.consent())
    kept = everything_in(app)
    state, token = provider.states[-1], form_token(page)
    assert state not in kept
    assert token not in kept
    assert consents.hashed(token) in kept


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
    assert refused(alice.browser.get(path), "The provider did not complete")
    assert (alice.row, alice.status["connected"]) == (None, False)
