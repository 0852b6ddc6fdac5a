"""An app whose office suite is the tests' own; and what must hold after each of them."""

import json
import re

import pytest

from service.billing.models import Hold
from service.database import access
from service.integrations import everything
from tests.app_database import all_rows_as_text
from tests.integrations.oauth import endpoints
from tests.integrations.oauth.provider import Provider
from tests.integrations.oauth.user import User, user


@pytest.fixture
def provider():
    running = Provider()
    yield running
    running.stop()


@pytest.fixture
def configure(configure, provider) -> dict:
    """Without the sandbox, so that nothing is redirected to it."""
    return {"sandbox": "0", **provider.settings(), **configure}


@pytest.fixture
def settings(settings, monkeypatch):
    monkeypatch.setattr(everything, "catalog", endpoints.catalog)
    monkeypatch.setattr(access, "POOL_SECONDS", 60)  # many calls at once share ten connections
    return settings


@pytest.fixture(scope="session")
def answers():
    """Every JSON answer of the session: none has the form that does not exist."""
    given: list[bytes] = []
    yield given
    forbidden = re.compile(rb'"connectUrl"|"error": ?"requiresOAuth"')
    assert not [answer for answer in given if forbidden.search(answer)]
    assert not [answer for answer in given if "requiresOAuth" in json.loads(answer)]


@pytest.fixture
def app(app, provider, answers):
    app.extensions["vendor_settings"]["PROBE_BASE_URL"] = provider.url

    @app.after_request
    def remember(response):
        if response.is_json:
            answers.append(response.get_data())
        return response

    return app


@pytest.fixture(autouse=True)
def nothing_leaks(request, capsys):
    """After every test: no token, code or key in any table, and neither these nor a state in any
    line of the log."""
    if "app" not in request.fixturenames:
        yield
        return
    app, provider = (request.getfixturevalue(name) for name in ("app", "provider"))
    yield
    logged, kept = "".join(capsys.readouterr()), all_rows_as_text(app)
    assert "canary" not in kept
    assert "canary" not in logged
    assert not [state for state in provider.states if state in kept or state in logged]


@pytest.fixture
def alice(app, provider) -> User:
    return user(app, provider, "alice")


@pytest.fixture
def bob(app, provider) -> User:
    return user(app, provider, "bob")


@pytest.fixture
def connected(alice) -> User:
    """Alice, who may read mail."""
    alice.connect()
    return alice


@pytest.fixture
def expired(connected) -> User:
    """Alice, whose access token has expired."""
    connected.expire()
    return connected


@pytest.fixture
def books(books):
    yield books
    assert not books.rows(Hold, state="open"), "a hold was left"
