"""Signing in at an identity provider: the way there and back, and attacks on it."""

import json
import re
from itertools import product
from urllib.parse import parse_qs, urlencode, urlsplit

import gevent
import pytest

from service.extensions import db
from service.sign_in import code_flow
from tests.services import on_sqlite


@on_sqlite
def test_a_person_signs_in_and_the_page_gets_a_token_that_the_api_takes(browser, provider):
    assert browser.sign_in() == ""
    token = browser.token()
    assert token["expiresAt"].endswith("Z")
    assert 3000 < token["refreshIn"] < 3600
    assert browser.api(Authorization=f"Bearer {token['token']}") == 200
    assert browser.token()["token"] == token["token"]
    assert len(provider.asked("token")) == 1


@on_sqlite
def test_the_cookie_is_hidden_from_scripts_and_from_other_sites(browser):
    browser.sign_in()
    cookie = browser.client.get_cookie("console_session")
    assert (cookie.http_only, cookie.same_site, cookie.path) == (True, "Lax", "/")
    assert len(cookie.value) >= 43


@on_sqlite
@pytest.mark.settings(public_url="https://app.example.com", sandbox="0", port=8000)
def test_over_https_a_cookie_is_bound_to_its_host(browser):
    answer = browser.client.get("/console/sign-in")
    set_cookie = answer.headers["Set-Cookie"]
    assert set_cookie.startswith("__Host-console_sign_in=")
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(set_cookie.split("; "))
    assert "redirect_uri=https%3A%2F%2Fapp.example.com%2Fconsole%2Fcallback" in answer.location


@on_sqlite
def test_the_api_does_not_take_the_cookie(browser):
    browser.sign_in()
    assert browser.session_id
    assert browser.api() == 401
    assert browser.api(Authorization=f"Bearer {browser.session_id}") == 401


def test_each_sign_in_has_a_session_of_its_own(browser):
    """Session fixation: an id from before the sign-in is worth nothing after it."""
    browser.client.set_cookie("console_session", "chosen-by-somebody-else")
    browser.sign_in()
    first = browser.session_id
    assert first != "chosen-by-somebody-else"
    browser.sign_in()
    assert browser.session_id != first
    browser.client.set_cookie("console_session", first)
    assert browser.post("token").status_code == 401


@on_sqlite
def test_a_sign_in_that_began_in_another_browser_does_not_end_here(browser, other):
    other.begin()
    assert other.arrive(browser.provider.agree(browser.begin())) == "lost"
    assert other.session_id == ""


@on_sqlite
def test_the_redirect_of_one_tab_leaves_the_sign_in_of_another(browser, provider):
    """The browser has one cookie, which is that of the tab that has begun last."""
    first, second = (provider.agree(browser.begin()) for _ in range(2))
    assert browser.arrive(first) == "lost"
    assert browser.arrive(second) == ""
    assert browser.token()["token"]


@on_sqlite
@pytest.mark.parametrize("state", ["", "forged", "ünï"])
def test_a_wrong_state_signs_nobody_in(browser, provider, state):
    assert browser.arrive(provider.agree(browser.begin(), state=state)) == "lost"
    assert provider.asked("token") == []


@on_sqlite
def test_a_redirect_that_is_replayed_signs_nobody_in(browser, other, provider):
    begun = browser.begin()
    cookie = browser.client.get_cookie("console_sign_in").value
    url = provider.agree(begun)
    assert browser.arrive(url) == ""
    assert browser.arrive(url) == "lost"  # the cookie is used up
    other.client.set_cookie("console_sign_in", cookie)
    assert other.arrive(url) == "refused"  # and so is the code
    assert other.session_id == ""


@pytest.mark.parametrize(
    "claims",
    [{"nonce": "another"}, {"aud": "another"}, {"iss": "https://evil.example"}, {"exp": 1},
     {"azp": "another"}],
    ids=lambda claims: next(iter(claims)),
)  # fmt: skip
@on_sqlite
def test_an_id_token_that_is_not_for_this_sign_in_signs_nobody_in(browser, provider, claims):
    provider.claims = claims
    assert browser.sign_in() == "refused"
    assert browser.session_id == ""


@pytest.fixture
def told(capsys):
    """The problem and the reason of each failed sign-in that was logged."""

    def read():
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
        failed = [line for line in lines if line["event"] == "sign-in failed"]
        return [(line["problem"], line["why"]) for line in failed]

    return read


@on_sqlite
@pytest.mark.parametrize(
    ("faults", "problem", "why"),
    [
        ({"claims": {"aud": "c4n4ry"}}, "refused", "ID token: InvalidClaimError aud"),
        ({"claims": {"azp": "c4n4ry"}}, "refused", "ID token: azp"),
        ({"claims": {"exp": 1}}, "refused", "ID token: ExpiredTokenError exp"),
        ({"answered": {"id_token": None}}, "refused", "no ID token"),
        ({"answered": {"access_token": 5}}, "away", "tokens: unreadable"),
        ({"described": {"issuer": "https://c4n4ry.example"}}, "away",
         "description: its issuer is not CONSOLE_OIDC_ISSUER"),
        ({"described": {"jwks_uri": None}}, "away",
         "description: no jwks_uri, or one without https"),
    ],
)  # fmt: skip
def test_an_operator_finds_in_the_log_why_a_sign_in_failed(
    browser, provider, told, faults, problem, why
):
    for name, value in faults.items():
        setattr(provider, name, value)
    browser.sign_in() if problem == "refused" or "tokens" in why else browser.begin()
    assert told() == [(problem, why)]


@on_sqlite
def test_of_what_a_redirect_says_only_words_of_the_standard_are_logged(browser, told):
    browser.arrive(f"/console/callback?{urlencode({'state': 'c4n4ry', 'code': 'c4n4ry'})}")
    for error in ("invalid_scope", "c4n4ry", "access_denied"):
        state = parse_qs(urlsplit(browser.begin()).query)["state"][0]
        browser.arrive(f"/console/callback?{urlencode({'state': state, 'error': error})}")
    assert told() == [
        ("lost", "no cookie"),
        ("refused", "redirect: invalid_scope"),
        ("refused", "redirect: another error"),
    ]


@on_sqlite
def test_the_code_of_a_refusal_of_tokens_is_logged(browser, other, provider, told):
    url = provider.agree(browser.begin())
    cookie = browser.client.get_cookie("console_sign_in").value
    browser.arrive(url)
    other.client.set_cookie("console_sign_in", cookie)
    other.arrive(url)  # the code is used up
    assert told() == [("refused", "tokens: invalid_grant")]


@on_sqlite
def test_without_an_id_token_nobody_is_signed_in(browser, provider):
    provider.answered = {"id_token": None}
    assert browser.sign_in() == "refused"
    assert browser.session_id == ""


@on_sqlite
@pytest.mark.parametrize("issuer", ["https://evil.example", None])
def test_the_redirect_must_come_from_this_provider(browser, provider, issuer):
    """One that promises to name itself does so."""
    assert browser.arrive(provider.agree(browser.begin(), iss=issuer)) == "refused"
    assert provider.asked("token") == []


@on_sqlite
def test_a_sign_in_has_to_come_back_within_its_time(browser, provider, monkeypatch):
    monkeypatch.setattr(code_flow, "SIGN_IN_SECONDS", -1)
    assert browser.sign_in() == "lost"
    assert provider.asked("token") == []


@on_sqlite
@pytest.mark.parametrize(
    "described",
    [{"issuer": "https://evil.example"}, {"jwks_uri": None}, {"token_endpoint": ["/token"]},
     {"token_endpoint": "http://id.example/token"}, {"token_endpoint": "https://[x/token"},
     {"authorization_endpoint": "https://id.example:70000/"},
     {"authorization_endpoint": f"https://{'x' * 64}.example/"},
     {"authorization_endpoint": "https://id.example/\ud800"}],
)  # fmt: skip
def test_a_provider_that_describes_itself_wrongly_is_not_trusted(browser, provider, described):
    provider.described = described
    assert browser.begin() == "/?sign-in=away"


@on_sqlite
@pytest.mark.parametrize("end", [1_800_000_000_000, 10**18])
def test_a_token_may_end_after_all_dates(browser, provider, monkeypatch, end):
    """Some issuers count in milliseconds."""
    signed = provider._signed
    monkeypatch.setattr(provider, "_signed", lambda **claims: signed(**{**claims, "exp": end}))
    assert browser.sign_in() == ""
    token = browser.token()
    assert token["expiresAt"] == "9999-01-01T00:00:00.000000Z"
    assert browser.api(Authorization=f"Bearer {token['token']}") == 200


@on_sqlite
def test_a_token_that_fits_into_no_header_is_refused_at_the_sign_in(
    browser, provider, monkeypatch, told
):
    """The page would get 431 for each of its requests, without a reason."""
    signed = provider._signed
    monkeypatch.setattr(provider, "_signed", lambda **claims: signed(**claims, groups="g" * 6000))
    assert browser.sign_in() == "too-large"
    [(problem, why)] = told()
    assert problem == "too-large"
    assert re.fullmatch(r"8\d\d\d bytes, of which 8100 are permitted", why)


@on_sqlite
def test_a_secret_goes_into_the_form_where_the_provider_wants_that(browser, provider):
    provider.method = "client_secret_post"
    assert browser.sign_in() == ""


@on_sqlite
@pytest.mark.settings(console_oidc_client_secret="")
def test_a_public_client_has_no_secret(browser, provider):
    provider.method = "none"
    assert browser.sign_in() == ""


@on_sqlite
def test_the_page_is_told_why_nobody_was_signed_in(browser, provider):
    begun = browser.begin()
    state = provider.agree(begun).split("state=")[1].split("&")[0]
    denied = f"/console/callback?error=access_denied&state={state}"
    assert browser.arrive(denied) == "denied"
    begun = browser.begin()
    provider.is_away = True
    assert browser.arrive(provider.agree(begun)) == "away"


@on_sqlite
def test_many_who_begin_at_once_ask_the_provider_once(app, provider):
    """Anybody can begin: they must not make a flood of requests to a provider that is slow."""
    provider.is_away = True
    begun = [gevent.spawn(app.test_client().get, "/console/sign-in") for _ in range(10)]
    gevent.joinall(begun, raise_error=True)
    assert {one.value.headers["Location"] for one in begun} == {"/?sign-in=away"}
    assert len(provider.asked("openid_configuration")) == 1
    provider.is_away = False
    assert app.test_client().get("/console/sign-in").headers["Location"].startswith(provider.url)


@on_sqlite
def test_a_new_description_leaves_the_keys_that_are_known(app, browser, provider):
    """The description is fetched once an hour, and the keys may be unavailable then."""
    browser.sign_in()
    app.extensions["sessions"]._provider._read_at = float("-inf")
    provider.keys_are_away = True
    assert browser.sign_in() == ""
    assert len(provider.asked("openid_configuration")) == 2


@on_sqlite
def test_where_to_go_afterwards_is_not_taken_from_the_address(browser, provider):
    """Every redirect but the one to the provider leads to `/`: `arrive` checks it."""
    url = provider.agree(browser.begin())
    assert browser.arrive(f"{url}&next=https://evil.example&return=//evil.example") == ""


ELSEWHERE = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site"},
]


@on_sqlite
def test_another_site_gets_nothing_by_the_cookie(browser):
    browser.sign_in()
    for path, headers in product(("token", "sign-out"), ELSEWHERE):
        answer = browser.post(path, **headers)
        assert (answer.status_code, answer.json["error"]) == (403, "forbidden"), headers
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert browser.post("token").status_code == 200


@on_sqlite
def test_an_id_token_serves_where_the_access_token_is_not_for_this_service(browser, provider):
    provider.audience = None  # opaque, as some providers make them
    provider.claims = {"aud": ["the-console", "the-api"]}
    assert browser.sign_in() == ""
    assert browser.api(Authorization=f"Bearer {browser.token()['token']}") == 200


@on_sqlite
def test_tokens_that_this_service_does_not_accept_sign_nobody_in(browser, provider):
    provider.audience = "another-api"
    assert browser.sign_in() == "not-accepted"


@on_sqlite
def test_nothing_secret_is_stored_in_plain(browser, app):
    browser.sign_in()
    row = stored(app)
    text = " ".join(str(value) for value in row)
    assert browser.session_id not in text
    assert browser.token()["token"] not in text
    assert "canary" not in text


def stored(app):
    with app.app_context():
        return db.session.execute(db.text("SELECT * FROM console_sessions")).one()
