"""An endpoint that asks nobody: a function of the app, with the proxy's checks and price."""

import pytest

from tests.integrations import dice
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.settings(extensions=dice.__name__)]


def throw(alice, **body):
    return alice.post("/api/integrations/dice-throw", body).json


def test_the_function_answers_and_its_price_is_charged(alice):
    before = alice.get("/api/credits").json["balance"]
    assert throw(alice, sides=20) == {"success": True, "data": {"shows": 20}}
    assert alice.get("/api/credits").json["balance"] == before - 2


def test_its_parameters_are_checked(alice):
    assert list(throw(alice, sides=1)["details"]) == ["sides"]


def test_it_is_configured_and_asks_its_user(alice):
    catalog = alice.get("/api/integrations/catalog").json["endpoints"]
    [entry] = [one for one in catalog if one["name"] == "dice-throw"]
    assert (entry["configured"], entry["autoApprove"], entry["credits"]) == (True, False, 2)
