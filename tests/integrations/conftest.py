"""The vendors of the app under test: one scripted server in the place of all of them.

Modules whose tests only call vendors use the fixture `shared_app`: making an app takes longer than
most of these calls.
"""

from dataclasses import replace
from typing import Any

import pytest

from service.auth.users import rights_cache
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.setting import VENDOR_SETTINGS
from service.integrations.vendors.github import visibility
from service.sandbox import views
from tests.integrations.scripted_vendor import ScriptedVendor
from tests.running_app import SharedApp, running_app
from tests.services import settings_for


@pytest.fixture(scope="module")
def shared_app(databases):
    with running_app(settings_for(databases.make("sqlite"))) as app:
        yield SharedApp(app)


@pytest.fixture
def app(request, settings, monkeypatch):
    rights_cache.clear()
    monkeypatch.setattr(views, "TOKEN_SECONDS", 0.0005)
    if "shared_app" in request.fixturenames:
        yield request.getfixturevalue("shared_app").renew()
        return
    with running_app(settings) as app:
        yield app


@pytest.fixture
def vendor(app):
    """Every vendor without OAuth is called here, with a key that can be recognised."""
    visibility.seen.clear()
    scripted = ScriptedVendor()
    settings = dict(VENDOR_SETTINGS.of(app))
    for known in app.extensions["proxy"].catalog.vendors:
        if not known.oauth:
            settings |= {one.name: scripted.url for one in known.bases}
            settings |= {one.name: f"{known.name}-canary" for one in known.credential.settings}
    VENDOR_SETTINGS.set(app, settings)
    yield scripted
    scripted.stop()


@pytest.fixture
def ask(alice):
    """alice calls an endpoint, and wants no kept answer."""

    def asking(endpoint: str, body: Any = None, **options: Any) -> Any:
        headers = {"Cache-Control": "no-cache", **options.pop("headers", {})}
        path = f"/api/integrations/{endpoint}"
        return alice.post(path, body or {}, headers=headers, **options)

    return asking


@pytest.fixture
def within(app):
    """Give every endpoint that many seconds."""

    def hurry(seconds: float) -> None:
        proxy = app.extensions["proxy"]
        proxy.catalog = Catalog(replace(item, seconds=seconds) for item in proxy.catalog)

    return hurry


@pytest.fixture
def paid(alice):
    """What has been paid so far, in credits."""
    start = alice.get("/api/credits").json["balance"]
    return lambda: pytest.approx(start - alice.get("/api/credits").json["balance"])


@pytest.fixture
def look(alice):
    """The answer to a look at a job."""
    return lambda job: alice.get(f"/api/integrations/jobs/{job}")
