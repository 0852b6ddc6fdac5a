"""The page that asks first, where a consent ends in another browser than it began in."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from gevent.pool import Pool

from service.database.access import write_transaction
from service.extensions import db
from service.integrations.models import Consent
from service.sealing.hashing import hash_secret
from service.sealing.seal import Sealer
from service.times import now
from service.upkeep.sweeping import sweep
from tests.app_database import all_rows_as_text
from tests.integrations.oauth.pages import CALLBACK, age_consents, form_token, is_refused
from tests.integrations.oauth.user import EVENTS, READ, SEND, outcome, user
from tests.services import on_sqlite


@pytest.fixture
def stranger(app):
    """Another browser, in which nobody is signed in."""
    return app.test_client()


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


def test_consents_of_several_tabs_may_end_in_any_order(alice):
    first, second, third = (alice.consent(endpoint) for endpoint in (READ, EVENTS, SEND))
    for path in (third, first, second):
        assert outcome(alice.browser.get(path)) == "connected"
    assert is_refused(alice.browser.get(third))
    assert alice.flags == {"mailRead", "mailSend", "mailModify", "mail", "calendar"}


def test_a_consent_that_was_refused_does_not_make_other_tabs_ask(alice):
    first, second = alice.consent(READ), alice.consent(EVENTS)
    state = parse_qs(urlsplit(second).query)["state"][0]
    assert is_refused(alice.browser.get(f"{CALLBACK}?error=access_denied&state={state}"), "granted")
    assert outcome(alice.browser.get(first)) == "connected"


@on_sqlite
def test_a_browser_is_remembered_no_longer_than_its_consent_was_good(app, alice):
    first, second = alice.consent(READ), alice.consent(EVENTS)
    assert outcome(alice.browser.get(second)) == "connected"
    with app.app_context(), write_transaction() as session:
        [ended] = session.scalars(db.select(Consent).filter_by(asked=[]))
        ended.expires_at = now()
    assert outcome(alice.browser.get(first)) == "unconfirmed"


@on_sqlite
def test_the_confirm_page_escapes_what_it_shows(app, provider, stranger):
    mallory = user(app, provider, "<b>mallory</b>")
    page = stranger.get(mallory.consent(account='"><script>alert(1)</script>'))
    assert "&lt;b&gt;mallory&lt;/b&gt;" in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;@example.com" in page.text
    assert "<b>" not in page.text


@on_sqlite
def test_a_form_is_good_once(alice, stranger, provider):
    token = form_token(stranger.get(alice.consent()))
    assert outcome(stranger.post(CALLBACK, data={"token": token})) == "connected"
    alice.disconnect()
    assert is_refused(stranger.post(CALLBACK, data={"token": token}))
    assert alice.row is None


def test_of_many_forms_at_once_one_connects(app, alice, stranger, provider):
    token = form_token(stranger.get(alice.consent()))
    post = lambda _: outcome(app.test_client().post(CALLBACK, data={"token": token}))  # noqa: E731
    assert sorted(Pool(20).map(post, range(20))) == ["connected"] + ["failed"] * 19
    assert alice.row["version"]


@on_sqlite
def test_what_nobody_confirms_is_dropped(app, alice, stranger, provider):
    token = form_token(stranger.get(alice.consent()))
    age_consents(app, timedelta(minutes=10))
    assert is_refused(stranger.post(CALLBACK, data={"token": token}))
    with app.app_context():
        sweep()
        assert db.session.scalars(db.select(Consent)).all() == []
        db.session.commit()
    assert (alice.row, provider.asked("revoke")) == (None, [])


@on_sqlite
def test_a_form_without_its_token_does_nothing(alice, stranger, provider):
    path = alice.consent()
    state = parse_qs(urlsplit(path).query)["state"][0]
    for data in ({}, {"token": ""}, {"token": "x"}, {"token": state}):
        assert is_refused(stranger.post(CALLBACK, data=data))
    assert is_refused(stranger.post(path))
    assert provider.asked("token") == []


@on_sqlite
def test_a_form_token_is_no_state(alice, stranger, provider):
    token = form_token(stranger.get(alice.consent()))
    assert is_refused(stranger.get(f"{CALLBACK}?state={token}&code=x"))
    assert (len(provider.asked("token")), alice.row) == (1, None)


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
    name, *flags = alice.call(READ).headers["Set-Cookie"].split("; ")
    assert name.startswith("__Host-oauth_browser=")
    assert "Path=/" in flags
    assert "Secure" in flags
    assert not [flag for flag in flags if flag.startswith("Domain")]
    url = alice.payload()["authUrl"]
    redirect = parse_qs(urlsplit(url).query)["redirect_uri"]
    assert redirect == [f"https://app.example.com{CALLBACK}"]


@on_sqlite
@pytest.mark.settings(public_url="HTTPS://app.example.com")
def test_the_scheme_counts_however_it_is_written(alice):
    cookie = alice.call(READ).headers["Set-Cookie"]
    assert cookie.startswith("__Host-oauth_browser=")
    assert "; Secure" in cookie


@on_sqlite
@pytest.mark.settings(public_url="https://app.example.com")
def test_a_cookie_from_a_sibling_subdomain_connects_nothing(alice, bob, provider):
    """Mallory (alice) began the consent and has set her cookie in bob's browser, which a sibling of
    the same domain can do for any name without the prefix."""
    tossed = alice.call(READ).headers["Set-Cookie"].partition("=")[2].partition(";")[0]
    url = alice.payload()["authUrl"]
    for path in ("/", "/api/integrations/oauth"):
        bob.browser.set_cookie("oauth_browser", tossed, path=path)
    page = bob.browser.get(provider.consent(url))
    assert (outcome(page), alice.row) == ("unconfirmed", None)


@on_sqlite
@pytest.mark.settings(public_url="https://app.example.com")
def test_under_https_the_browser_that_began_connects_at_once(alice):
    alice.browser.base_url = "https://localhost"
    [cookie] = alice.call(READ).headers.getlist("Set-Cookie")
    assert cookie.startswith("__Host-")
    path = alice.consent()
    page = alice.browser.get(path, base_url="https://localhost")
    assert outcome(page) == "connected"


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
        assert policy["img-src"] == "data:"  # of the icon: without one, a browser asks for another
        assert '<link rel="icon" href="data:,">' in page.text
        assert "<script>" not in page.text
        assert page.mimetype == "text/html"


@on_sqlite
def test_a_consent_that_was_sealed_with_a_key_that_has_gone_is_begun_again(app, alice, stranger):
    path, token = alice.consent(), form_token(stranger.get(alice.consent()))
    app.extensions["proxy"].connections._sealer = Sealer([("other", b"x" * 32)])
    assert is_refused(alice.browser.get(path), "Please try again.")
    assert is_refused(stranger.post(CALLBACK, data={"token": token}), "Please try again.")
    assert alice.row is None


@on_sqlite
def test_what_is_kept_of_a_consent_is_hashed_or_sealed(app, alice, stranger, provider):
    page = stranger.get(alice.consent())
    kept = all_rows_as_text(app)
    state, token = provider.states[-1], form_token(page)
    assert state not in kept
    assert token not in kept
    assert hash_secret(token) in kept


@on_sqlite
@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_a_form_that_nobody_has_been_given_is_not_parsed(stranger, kind):
    answer = stranger.post(CALLBACK, data="a&" * 2500, content_type=kind)
    assert (answer.status_code, answer.json["error"]) == (413, "too_large")
