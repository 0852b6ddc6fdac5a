"""Who pays: the subject of the forwarded token, or the app's owner."""

import time

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from config import ConfigError
from service import create_app
from service.auth.tokens import Claims
from service.auth.users import Caller
from service.billing.payer import Payer, payer_of
from tests.services import close, on_sqlite, settings_for

ISSUER = "https://id.example.com"
KEY = RSAKey.generate_key(2048, {"kid": "k"})


def test_the_forwarded_tokens_subject_pays():
    alice = Payer("alice", is_owner=False)
    assert payer_of(Caller("alice", "user"), "owner", None, None) == alice
    assert payer_of(Claims("alice", "admin", 0.0), "owner", None, None) == alice


def test_the_owner_pays_if_no_token_is_forwarded():
    assert payer_of(None, "owner", None, None) == Payer("owner", is_owner=True)


def test_the_owners_forwarded_token_makes_the_owner_pay():
    assert payer_of(Caller("owner", "owner"), "owner", None, None) == Payer("owner", is_owner=True)


@on_sqlite
def test_the_owner_is_known_from_the_start(app):
    assert app.extensions["owner"] == Caller("owner", "owner")


@pytest.fixture
def start(databases):
    """Start an app whose identity provider is down, with an owner's token of these claims."""
    apps = []

    def start_with(**claims):
        claims |= {"exp": int(time.time()) + 600, "iss": ISSUER}
        token = jwt.encode({"alg": "RS256", "kid": "k"}, claims, KEY)
        values = {"auth_jwks_url": "http://127.0.0.1:9/jwks", "auth_issuer": ISSUER}
        settings = settings_for(databases.make("sqlite"), owner_token=token, **values)
        apps.append(create_app(settings))
        return apps[-1]

    yield start_with
    for app in apps:
        close(app)


def test_the_owner_is_known_while_the_identity_provider_is_down(start):
    assert start(sub="boss", role="admin").extensions["owner"] == Caller("boss", "admin")


@pytest.mark.parametrize("claims", [{}, {"sub": ""}, {"sub": 5}, {"sub": "x" * 256}])
def test_an_owner_without_a_valid_subject_is_refused(start, claims):
    with pytest.raises(ConfigError, match="^OWNER_TOKEN: must have a subject"):
        start(**claims)
