"""Who pays: the subject of the forwarded token, or the app's owner."""

import json
import time

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from config import ConfigError
from service import create_app
from service.app_keys import APP_SETTINGS
from service.auth import keys
from service.auth.owner import REFUSED
from service.auth.tokens import Claims
from service.auth.users import Caller, rights_cache
from service.billing.models import Account
from service.billing.payer import Payer, payer_of
from service.chat.autonomous import ask
from service.extensions import db
from service.web.errors import Unavailable
from tests.people import person
from tests.services import close, on_sqlite, settings_for
from tests.upstream import Answer

ISSUER = "https://id.example.com"
OWNER_PAYS = {"integrations_billing": "websearch=developer"}
DOWN = Answer(status="503 Service Unavailable")
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

    def start_with(url="http://127.0.0.1:9", **claims):
        rights_cache.clear()
        claims = {"exp": int(time.time()) + 600, "iss": ISSUER, **claims}
        token = jwt.encode({"alg": "RS256", "kid": "k"}, claims, KEY)
        values = {"auth_jwks_url": f"{url}/jwks", "auth_issuer": ISSUER, **OWNER_PAYS}
        settings = settings_for(databases.make("sqlite"), owner_token=token, **values)
        apps.append(create_app(settings))
        apps[-1].extensions["sandbox"].start()
        return apps[-1]

    yield start_with
    for app in apps:
        close(app)


def test_the_owner_is_known_while_the_identity_provider_is_down(start):
    assert start(sub="boss", role="admin").extensions["owner"] == Caller("boss", "admin")


def search(app, endpoint="search-web-raw"):
    alice = person(app.test_client(), APP_SETTINGS.of(app), "alice")
    return alice.post(f"/api/integrations/{endpoint}", {"query": "comets"})


def test_the_owner_pays_for_nothing_while_the_owners_token_can_not_be_verified(start):
    app = start(sub="boss")
    refused = search(app)
    assert (refused.status_code, refused.json["error"]) == (503, "unavailable")
    assert refused.headers["Retry-After"]
    with pytest.raises(Unavailable):
        next(ask(app, "hello"))
    assert search(app, "search-web").status_code == 200, "a call for which the user pays"


def test_the_owner_pays_once_the_identity_provider_answers(start, upstream, monkeypatch):
    monkeypatch.setattr(keys, "REFETCH_AFTER", 0.0)
    upstream.answers = [DOWN]
    app = start(upstream.url, sub="boss")
    assert search(app).status_code == 503
    body = json.dumps({"keys": [KEY.as_dict(private=False)]})
    upstream.answers = [Answer(body, headers={"Content-Type": "application/json"})]
    assert search(app).status_code == 200
    with app.app_context():
        [account] = db.session.scalars(db.select(Account).filter_by(subject="boss"))
        assert account.balance < 1000 * 1_000_000
        db.session.commit()


def test_an_expired_owners_token_is_found_once_the_identity_provider_answers(
    start, upstream, monkeypatch
):
    monkeypatch.setattr(keys, "REFETCH_AFTER", 0.0)
    upstream.answers = [DOWN]
    app = start(upstream.url, sub="boss", exp=int(time.time()) - 600)
    body = json.dumps({"keys": [KEY.as_dict(private=False)]})
    upstream.answers = [Answer(body, headers={"Content-Type": "application/json"})]
    refused = search(app)
    assert (refused.status_code, refused.json["message"]) == (503, REFUSED)


@pytest.mark.parametrize("claims", [{}, {"sub": ""}, {"sub": 5}, {"sub": "x" * 256}])
def test_an_owner_without_a_valid_subject_is_refused(start, claims):
    with pytest.raises(ConfigError, match="^OWNER_TOKEN: must have a subject"):
        start(**claims)
