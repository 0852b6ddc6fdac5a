"""An answer that is kept of a user's own account is given with that grant only."""

from dataclasses import replace

import pytest

from service.integrations.declare.cache import Cache
from service.integrations.declare.catalog import Catalog
from tests.integrations.oauth.user import READ
from tests.services import on_sqlite

pytestmark = on_sqlite


@pytest.fixture
def keeping(app):
    proxy, cache = app.extensions["proxy"], Cache(seconds=60, shared=False)
    items = [replace(one, cache=cache) if one.name == READ else one for one in proxy.catalog]
    proxy.catalog = Catalog(items)


def test_without_the_grant_or_with_another_account_it_is_not_given(keeping, connected, provider):
    answers = [connected.call() for _ in range(2)]
    assert [one.headers.get("X-Cache") for one in answers] == [None, "hit"]
    connected.disconnect()
    assert connected.payload()["requiresOAuth"] is True
    connected.connect(account="two")
    assert connected.call().json["data"]["account"] == "two"


def test_a_wider_grant_asks_again(keeping, connected):
    before = connected.call().json
    connected.connect("cloudsuite/mail-send")
    wider = connected.call()
    assert (wider.json, "X-Cache" in wider.headers) == (before, False)
