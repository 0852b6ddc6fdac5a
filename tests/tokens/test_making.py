"""Making limited tokens: what may be asked for, and what a token says of itself."""

import time
from dataclasses import replace
from datetime import datetime

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from config import ConfigError
from service.app_keys import APP_SETTINGS
from service.auth import bearer, limited_tokens, tokens
from service.auth.permits import Permit
from service.integrations.everything import catalog
from service.tokens import views
from service.web.errors import NotConfigured, Unauthorized
from tests.services import SECRET, on_sqlite

pytestmark = on_sqlite

WEATHER = {"latitude": 59.9, "longitude": 10.7}
PERMIT = Permit("token_1", "calls", time.time() + 24 * 3600)  # the suite takes long


def claims_of(token: str) -> dict:
    return tokens.peek(token)[1]


def test_a_token_has_the_limits_that_were_asked_for(alice):
    limits = {
        "scope": "calls",
        "endpoints": ["send-email", "cloudsuite/mail-send", "current-weather"],
    }
    made = alice.post("/api/tokens", {**limits, "credits": 2.5, "ttl": 60})
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    answer = made.json
    claims = claims_of(answer.pop("token"))
    ends = datetime.fromisoformat(answer.pop("expiresAt")).timestamp()
    named = sorted([catalog().named("send-email").name, "current-weather"])
    assert answer == {"scope": "calls", "endpoints": named, "credits": 2.5}
    assert claims["sub"] == "alice"
    assert claims["exp"] == ends <= time.time() + 60


LIMITS = [
    (0.29, 0.29), (0.0000019, 0.000001), (0.9999999, 0.999999), (1e-7, 0), (-0.0, 0),
    (999_999_999.999999, 999_999_999.999999), (1_000_000_000, 1_000_000_000),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "limit"), LIMITS)
def test_a_limit_of_credits_has_six_decimals_and_is_never_more_than_was_asked_for(
    alice, wanted, limit
):
    made = alice.post("/api/tokens", {"scope": "calls", "credits": wanted}).json
    assert (made["credits"], made["credits"] <= wanted) == (limit, True)
    assert claims_of(made["token"])["permit"]["credits"] == round(limit * 1_000_000)


BAD = [
    {}, {"scope": "all"}, {"scope": None}, {"scope": ["calls"]},
    {"scope": "calls", "ttl": 3601}, {"scope": "calls", "ttl": 0}, {"scope": "calls", "ttl": 1.5},
    {"scope": "calls", "ttl": None}, {"scope": "calls", "ttl": True},
    {"scope": "calls", "endpoints": []}, {"scope": "calls", "endpoints": ["no-such"]},
    {"scope": "calls", "endpoints": "send-email"}, {"scope": "calls", "endpoints": [""]},
    {"scope": "chat", "endpoints": ["send-email"]},
    {"scope": "calls", "credits": -1}, {"scope": "calls", "credits": "1"},
    {"scope": "calls", "credits": True}, {"scope": "calls", "credits": 1e999},
    {"scope": "calls", "role": "admin"}, {"scope": "calls", "sub": "bob"},
]  # fmt: skip


def test_other_limits_are_refused(alice):
    for limits in BAD:
        refused = alice.post("/api/tokens", limits)
        assert (refused.status_code, refused.json["error"]) == (400, "invalid_request"), limits


def test_an_unknown_name_is_told_by_its_place(alice):
    names = {"scope": "calls", "endpoints": ["current-weather", "curent-weather"]}
    details = alice.post("/api/tokens", names).json["details"]
    assert details == {"endpoints": {"1": ["There is no endpoint of that name."]}}


def test_a_token_of_all_names_fits_into_a_header(alice):
    every = catalog()
    limited = alice.limited(endpoints=[*every.names])
    assert set(claims_of(limited.token)["permit"]["endpoints"]) == {one.name for one in every}
    assert len(f"Authorization: Bearer {limited.token}") < 8190  # gunicorn's limit
    assert limited.post("/api/integrations/current-weather", WEATHER).status_code == 200


def test_names_that_do_not_fit_into_a_header_are_refused(alice, monkeypatch):
    """As an app's own endpoints may be more than ours."""
    monkeypatch.setattr(views, "LONGEST_TOKEN", 500)
    named = {"scope": "calls", "endpoints": [one.name for one in catalog()][:30]}
    assert alice.post("/api/tokens", named).json["details"] == {"endpoints": [views.TOO_MANY]}


def test_the_log_tells_which_limited_token_it_was(alice, capsys):
    limited = alice.limited()
    capsys.readouterr()
    limited.get("/api/credits")
    assert claims_of(limited.token)["jti"] in "".join(capsys.readouterr())


def test_a_token_does_not_outlive_its_makers(alice, app):
    settings = APP_SETTINGS.of(app)
    short = replace(alice, token=tokens.issue(settings, "alice", "user", 30))
    claims = claims_of(short.limited(ttl=3600).token)
    assert claims["exp"] <= claims_of(short.token)["exp"]


@pytest.mark.parametrize("scope", ["calls", "chat"])
def test_a_limited_token_makes_no_others(alice, scope):
    refused = alice.limited(scope).post("/api/tokens", {"scope": scope})
    assert (refused.status_code, refused.json["error"]) == (403, "forbidden")


def forged(header: dict, claims: dict, key: OctKey) -> str:
    whole = {"sub": "alice", "exp": int(time.time()) + 600}
    return jwt.encode({"alg": "HS256", **header}, {**whole, **claims}, key)


def test_a_limited_token_and_a_whole_one_are_never_taken_for_each_other(alice, app):
    """The type in the header chooses the key, so that a changed type fails."""
    own = OctKey.import_key(SECRET)
    [limited_key] = limited_tokens.keys(APP_SETTINGS.of(app))
    permit = PERMIT.claims()
    for token in (
        forged({"typ": limited_tokens.TYPE}, permit, own),
        forged({}, permit, limited_key),
        forged({"typ": limited_tokens.TYPE}, {}, limited_key),  # without a permit
        forged({"typ": limited_tokens.TYPE}, {**permit, "permit": {"scope": "all"}}, limited_key),
    ):
        assert replace(alice, token=token).get("/api/ai/models").status_code == 401
    ignored = replace(alice, token=forged({}, permit, own))
    assert ignored.get("/api/credits").status_code == 200


def test_the_release_before_does_not_take_a_limited_token(alice):
    """It knows no permits, and decodes every token with `AUTH_SECRET`."""
    token = alice.limited().token
    with pytest.raises(Exception, match="bad_signature"):
        jwt.decode(token, OctKey.import_key(SECRET), algorithms=["HS256"])


def test_without_a_secret_the_sealing_keys_sign_and_older_ones_verify(app):
    """As where an identity provider makes all other tokens."""
    old, new = ("old", b"o" * 32), ("new", b"n" * 32)
    before = replace(APP_SETTINGS.of(app), auth_secret=None, token_encryption_keys=(old,))
    token = tokens.issue_limited(before, "alice", "user", None, PERMIT)
    rotated = replace(before, token_encryption_keys=(new, old))
    assert tokens.Verifier(rotated, None).verify(token).permit.token_id == "token_1"
    with pytest.raises(Unauthorized):
        tokens.Verifier(replace(before, token_encryption_keys=(new,)), None).verify(token)
    keyless = replace(before, token_encryption_keys=())
    with pytest.raises(NotConfigured):
        tokens.issue_limited(keyless, "alice", "user", None, PERMIT)


def test_with_a_secret_the_sealing_keys_of_another_instance_do_not_matter(app):
    """A gateway and the instance behind it share AUTH_SECRET and no other key."""
    here = APP_SETTINGS.of(app)
    there = replace(here, token_encryption_keys=(("other", b"o" * 32),))
    token = tokens.issue_limited(here, "alice", "user", None, PERMIT)
    assert tokens.Verifier(there, None).verify(token).permit.token_id == "token_1"


def test_a_limited_token_is_no_owners_token(app):
    settings = APP_SETTINGS.of(app)
    token = tokens.issue_limited(settings, "owner", "owner", None, PERMIT)
    with pytest.raises(ConfigError, match="OWNER_TOKEN: must be a token without limits"):
        bearer.set_up(app, replace(settings, owner_token=token), app.extensions["upstream"])
