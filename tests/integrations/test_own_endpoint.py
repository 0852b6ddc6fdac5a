"""An endpoint that asks nobody: a function of the app, with the proxy's checks and price."""

import json

import pytest
from sqlalchemy import update

from service.database.access import write_transaction
from service.database.clock import from_now
from service.integrations.calling.attempt import Attempt
from service.integrations.declare.faults import Declined
from service.integrations.declare.request import Outgoing
from service.integrations.models import IdempotencyKey
from service.web.errors import Forbidden, RateLimited, Unavailable, UpstreamFailed
from tests.integrations import dice
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.settings(extensions=dice.__name__)]


@pytest.fixture(autouse=True)
def table():
    yield
    for one in (dice.thrown, dice.questions, dice.faults, dice.returned):
        one.clear()


def throw(alice, **body):
    return alice.post("/api/integrations/dice-throw", body).json


def once(alice):
    key = {"Idempotency-Key": "one"}
    return alice.post("/api/integrations/dice-throw", {}, headers=key)


def test_the_function_answers_and_its_price_is_charged(alice):
    before = alice.get("/api/credits").json["balance"]
    assert throw(alice, sides=20) == {"success": True, "data": {"shows": 20}}
    assert alice.get("/api/credits").json["balance"] == before - 2


def test_the_parameters_of_an_own_endpoint_are_checked(alice):
    assert list(throw(alice, sides=1)["details"]) == ["sides"]


def test_an_own_endpoint_is_configured_and_needs_approval(alice):
    catalog = alice.get("/api/integrations/catalog").json["endpoints"]
    [entry] = [one for one in catalog if one["name"] == "dice-throw"]
    assert (entry["configured"], entry["autoApprove"], entry["credits"]) == (True, False, 2)


@pytest.mark.parametrize(
    "fault",
    [RuntimeError(), UpstreamFailed(), Unavailable(), Declined(), RateLimited("Full.")],
    ids=repr,
)
def test_with_a_key_what_may_have_acted_does_not_act_again(alice, fault):
    """Only the app could tell whether its function has done its work before it failed."""
    dice.faults.append(fault)
    assert once(alice).status_code == getattr(fault, "status", 500)
    assert_that_nobody_knows(alice)


def assert_that_nobody_knows(alice):
    again = once(alice)
    assert (again.status_code, again.json["outcome"]) == (409, "unknown")
    assert len(dice.thrown) == 1


@pytest.mark.parametrize("status", [403, 404, 422])
def test_with_a_key_a_function_whose_vendor_refuses_does_not_act_again(alice, vendor, status):
    """The vendor tells what it has done, not what the function did before."""
    vendor.says(Said(status=status))
    dice.questions.append(Outgoing(path="/rate_limit"))
    assert once(alice).status_code == {422: 400}.get(status, status)
    assert_that_nobody_knows(alice)


def test_a_function_may_refuse_what_a_vendor_has_told_it(alice, vendor):
    dice.questions.append(Outgoing(path="/rate_limit"))
    dice.faults.append(Forbidden())
    assert once(alice).status_code == 403
    assert once(alice).json["data"] == {"shows": 6}


def test_with_a_key_a_call_of_a_lost_worker_is_not_made_again(app, alice, monkeypatch):
    """Its key says that the call has begun, and nobody ends it."""
    monkeypatch.setattr(Attempt, "_free", lambda self: None)
    dice.faults.append(RuntimeError())
    once(alice)
    with app.app_context(), write_transaction() as session:
        session.execute(update(IdempotencyKey).values(held_until=from_now(-1)))
    assert once(alice).json["outcome"] == "unknown"
    assert len(dice.thrown) == 1


def test_what_the_function_refuses_can_be_asked_again_with_the_same_key(alice):
    dice.faults.append(Forbidden())
    assert once(alice).status_code == 403
    assert once(alice).json["data"] == {"shows": 6}


@pytest.mark.parametrize("value", [{1, 2}, float("nan")], ids=repr)
def test_what_is_no_json_is_not_charged(alice, value):
    before = alice.get("/api/credits").json["balance"]
    dice.returned.append({"shows": value})
    assert throw(alice)["error"] == "internal_error"
    assert alice.get("/api/credits").json["balance"] == before


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], "data"),
        ({"shows": "six"}, "data.shows"),
        ({"shows": True}, "data.shows"),
        ({}, "data.shows"),
        ({"shows": 6, "more": 1}, "data.more"),
    ],
    ids=repr,
)
def test_what_is_not_as_declared_is_logged_with_its_place(alice, capfd, value, place):
    dice.returned.append(value)
    assert throw(alice)["data"] == value
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    [line] = [one for one in lines if one["event"] == "wrong shape"]
    assert (line["of"], line["at"]) == (place, "tests.integrations.dice._throw")
    assert line["endpoint"] == "dice-throw"
