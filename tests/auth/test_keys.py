"""Tokens of an identity provider: its key set and key rotation."""

import base64
import hmac
import json
import time

import gevent
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

from service import create_app
from service.auth import keys, tokens
from service.auth.tokens import issue
from service.auth.users import rights_cache
from tests.people import Person
from tests.services import close, settings_for
from tests.upstream import Answer

ISSUER = "https://id.example.com"


def key_set(*keys):
    body = json.dumps({"keys": [key.as_dict(private=False) for key in keys]})
    return Answer(body, headers={"Content-Type": "application/json"})


def token(key, algorithm="RS256", **claims):
    claims = {"sub": "alice", "exp": int(time.time()) + 600, "iss": ISSUER, **claims}
    header = {"alg": algorithm, "kid": key.kid}
    return jwt.encode(header, claims, key, algorithms=[algorithm])


def encoded(part):
    return base64.urlsafe_b64encode(part).rstrip(b"=")


def rsa(kid):
    return RSAKey.generate_key(2048, {"kid": kid})


@pytest.fixture
def start(databases, upstream):
    """Start an app that trusts the scripted upstream's key set."""
    apps = []

    def start_with(**values):
        rights_cache.clear()
        values = {"auth_jwks_url": f"{upstream.url}/jwks", "auth_issuer": ISSUER, **values}
        app = create_app(settings_for(databases.make("sqlite"), **values))
        apps.append(app)
        return lambda token: Person("alice", app.test_client(), token).get("/api/ai/models")

    yield start_with
    for app in apps:
        close(app)


@pytest.mark.parametrize(
    ("make", "algorithm"),
    [
        (rsa, "RS256"),
        (lambda kid: ECKey.generate_key("P-256", {"kid": kid}), "ES256"),
        (lambda kid: OKPKey.generate_key("Ed25519", {"kid": kid}), "Ed25519"),
    ],
)
def test_a_token_signed_by_the_provider_is_accepted(start, upstream, make, algorithm):
    key = make("one")
    upstream.answers = [key_set(key)]
    ask = start()
    assert ask(token(key, algorithm)).status_code == 200
    for kid in ("one", "another"):
        refused = ask(token(make(kid), algorithm))
        assert refused.status_code == 401
        assert "not signed by a key that is known here" in refused.json["message"]


@pytest.mark.parametrize("body", ["", "[]", '{"keys": 5}', '{"keys": [5]}', "[" * 99_999])
def test_an_invalid_key_set_is_an_outage(start, upstream, body):
    upstream.answers = [Answer(body, headers={"Content-Type": "application/json"})]
    ask, key = start(), rsa("one")
    assert [ask(token(key)).status_code for _ in range(2)] == [503, 503]


ODD = [
    {"kty": "EC", "crv": "BP-256", "x": "AA", "y": "AA"},
    {"kty": "OKP", "crv": "Ed448", "x": "AAAA"},
    {"kty": "AKP", "alg": "ML-DSA-44", "pub": "AAAA"},
    {"kty": "RSA"},
    {"kid": "odd"},
    {**rsa("odd").as_dict(private=False), "use": "sig", "key_ops": ["encrypt"]},
    "no key",
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_a_key_that_cannot_be_used_does_not_concern_the_others(start, upstream, odd):
    key = rsa("one")
    body = json.dumps({"keys": [odd, key.as_dict(private=False)]})
    upstream.answers = [Answer(body, headers={"Content-Type": "application/json"})]
    assert start()(token(key)).status_code == 200


def test_keys_are_fetched_once_and_again_for_an_unknown_one(start, upstream, monkeypatch):
    old, new = rsa("old"), rsa("new")
    upstream.answers = [key_set(old), key_set(old, new)]
    ask = start()
    assert [ask(token(old)).status_code for _ in range(3)] == [200, 200, 200]
    assert ask(token(new)).status_code == 401  # too soon for another fetch
    assert len(upstream.seen) == 1
    monkeypatch.setattr(keys, "REFETCH_AFTER", 0)
    assert ask(token(new)).status_code == 200
    assert len(upstream.seen) == 2


def test_a_key_that_the_provider_has_withdrawn_is_not_trusted_for_long(
    start, upstream, monkeypatch
):
    leaked, other = rsa("leaked"), rsa("other")
    upstream.answers = [key_set(leaked, other), Answer(status="500 Broken"), key_set(other)]
    monkeypatch.setattr(tokens, "CACHE_SECONDS", 0)
    ask = start()
    assert [ask(token(key)).status_code for key in (leaked, other)] == [200, 200]
    monkeypatch.setattr(keys, "KEPT_FOR", 0)
    assert ask(token(leaked)).status_code == 200  # the provider fails: nobody knows better
    assert ask(token(leaked)).status_code == 401
    assert ask(token(other)).status_code == 200


def test_a_clock_that_is_set_back_prolongs_no_trust_in_a_key(start, upstream, monkeypatch):
    leaked, other = rsa("leaked"), rsa("other")
    upstream.answers = [key_set(leaked, other), key_set(other)]
    monkeypatch.setattr(tokens, "CACHE_SECONDS", 0.05)
    ask, known = start(), token(leaked)
    assert ask(known).status_code == 200
    monkeypatch.setattr(keys, "KEPT_FOR", 0)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 3600)
    gevent.sleep(0.1)
    assert ask(token(other)).status_code == 200  # which fetches the keys
    assert ask(known).status_code == 401


def test_invented_key_ids_do_not_flood_the_provider(start, upstream):
    upstream.answers = [key_set(rsa("one"))]
    ask = start()
    assert {ask(token(rsa(f"made-up-{n}"))).status_code for n in range(5)} == {401}
    assert len(upstream.seen) == 1


def test_the_issuer_decides_between_secret_and_key_set(start, upstream):
    key = rsa("one")
    upstream.answers = [key_set(key)]
    ask = start()
    own = issue(settings_for("sqlite://"), "alice", "user", 60)
    assert ask(own).status_code == 200
    assert ask(token(key)).status_code == 200
    assert ask(token(key, iss="https://other.example.com")).status_code == 401


def test_a_public_key_is_not_accepted_as_a_secret(start, upstream):
    """The algorithm confusion of RFC 8725: HMAC keyed with the provider's public key."""
    key = rsa("one")
    upstream.answers = [key_set(key)]
    _, body, _ = token(key).split(".")
    signed = b".".join([encoded(b'{"alg":"HS256","kid":"one"}'), body.encode()])
    mac = hmac.new(key.as_pem(private=False), signed, "sha256").digest()
    assert start()((signed + b"." + encoded(mac)).decode()).status_code == 401


def test_a_provider_that_is_down_is_reported(start, upstream):
    upstream.answers = [Answer("<html>oops</html>", "500 Internal Server Error")]
    response = start()(token(rsa("one")))
    assert (response.status_code, response.json["error"]) == (503, "unavailable")
