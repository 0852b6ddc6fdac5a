"""What admins see of the service's state."""

import pytest
from sqlalchemy import text

from service.admin import failures
from service.database.access import write_transaction
from service.database.clock import from_now
from service.database.revisions import newest_revision
from service.integrations.calling.breaker import FAILURES
from service.integrations.models import Breaker
from tests.services import on_sqlite

BASE = "/api/admin"


def integration(admin, name: str):
    listed = admin.get(f"{BASE}/integrations").json["integrations"]
    return next(one for one in listed if one["integration"] == name)


@on_sqlite
@pytest.mark.settings(sandbox="", integrations_billing="weather=developer")
def test_an_integration_says_who_pays_and_what_is_missing(admin):
    weather = integration(admin, "weather")
    assert (weather["payer"], weather["configured"]) == ("owner", weather["endpoints"])
    [news] = integration(admin, "news")["vendors"]
    assert news == {"name": "newsapi", "missing": "NEWSAPI_API_KEY", "standIn": False}
    assert integration(admin, "news")["payer"] == "user"


@on_sqlite
@pytest.mark.settings(sandbox="", slack_bot_token="xoxb-canary")
def test_what_endpoints_need_beside_their_vendors_own_settings_is_missing_too(admin):
    """The page calls an integration ready that lacks nothing."""
    chat = integration(admin, "teamchat")
    assert chat["configured"] < chat["endpoints"]
    assert chat["vendors"] == [{"name": "slack", "missing": "SLACK_CHANNELS", "standIn": False}]


@on_sqlite
@pytest.mark.settings(sandbox="", pdl_api_key="pdl-canary")
def test_the_key_of_an_endpoints_model_is_missing_too(admin):
    people = integration(admin, "profnet")
    assert 0 < people["configured"] < people["endpoints"]
    assert people["vendors"][0]["missing"] == "PROVIDER_A_API_KEY"


@on_sqlite
@pytest.mark.settings(sandbox="", integrations_gateway_url="https://there.example")
def test_behind_a_gateway_nothing_is_missing_here(admin):
    news = integration(admin, "news")
    assert news["configured"] == news["endpoints"]
    assert news["vendors"] == [{"name": "newsapi", "missing": None, "standIn": False}]


@on_sqlite
def test_the_sandboxs_stand_ins_are_called_so(admin):
    listed = admin.get(f"{BASE}/integrations").json["integrations"]
    vendors = [vendor for one in listed for vendor in one["vendors"]]
    assert len(vendors) > 25
    assert {(vendor["missing"], vendor["standIn"]) for vendor in vendors} == {(None, True)}


def test_an_open_breaker_is_shown_until_it_closes(app, admin):
    breakers = app.extensions["proxy"].calls.breakers
    closed = {"state": "closed", "failures": 0, "openUntil": None}
    assert integration(admin, "weather")["breaker"] == closed
    with app.app_context():
        for _ in range(FAILURES):
            breakers.note_failure("weather")
    shown = integration(admin, "weather")["breaker"]
    assert (shown["state"], shown["failures"]) == ("open", FAILURES)
    assert shown["openUntil"].endswith("Z")
    with app.app_context():
        breakers.note_success("weather")
    assert integration(admin, "weather")["breaker"] == closed


def test_a_breaker_whose_clock_was_set_back_is_shown_as_it_acts(app, admin):
    """It has opened by a clock that was an hour ahead, and lets the next call try."""
    with app.app_context(), write_transaction() as session:
        until = from_now(3600)
        session.add(Breaker(integration="weather", failures=FAILURES, open_until=until))
    shown = integration(admin, "weather")["breaker"]
    assert shown == {"state": "trial", "failures": FAILURES, "openUntil": None}


@on_sqlite
def test_errors_are_counted_by_kind(alice, admin, monkeypatch):
    monkeypatch.setattr(
        failures, "MOST_KINDS", 10_000
    )  # this process may have counted for other tests
    chat = alice.new_chat()
    alice.turn(chat, "hello")
    alice.turn(chat, "hello again")
    alice.turn(chat, "/fail wrong-key hello")
    told = admin.get(f"{BASE}/errors", query_string={"hours": 1}).json
    [kind] = told["turns"]["kinds"]
    assert (kind["status"], kind["finishReason"], kind["count"]) == ("finished", "stop", 2)
    assert (told["turns"]["total"], told["turns"]["isWhole"]) == (2, True)
    failed = {"model": "llm-sonnet-4-6", "status": "failed"}
    assert any(one.items() >= failed.items() for one in told["host"]["turns"])
    refused = {"upstream": "provider-A", "outcome": "401"}
    assert any(one.items() >= refused.items() for one in told["host"]["upstreamCalls"])


@on_sqlite
def test_turns_of_earlier_hours_are_not_counted(app, alice, admin):
    alice.turn(alice.new_chat(), "hello")
    with app.app_context(), write_transaction() as session:
        session.execute(text("UPDATE turns SET created_at = '2020-01-01 00:00:00.000000'"))
    assert admin.get(f"{BASE}/errors").json["turns"]["kinds"] == []


def test_the_service_says_what_runs(database_url, alice, admin):
    alice.turn(alice.new_chat(), "hello")
    facts = admin.get(f"{BASE}/service").json
    assert facts["database"] == {
        "kind": database_url.partition(":")[0].partition("+")[0],
        "revision": newest_revision(),
        "newest": newest_revision(),
        "migrated": True,
    }
    assert facts["workers"] == {"configured": 1, "answering": 1}
    assert (facts["version"], facts["sandbox"]) == ("0.1.0", True)


def test_calls_are_added_up_by_integration_and_errors_by_kind(app, alice, bob, admin):
    assert alice.post("/api/integrations/current-weather", {"city": "Berlin"}).status_code == 200
    assert bob.post("/api/integrations/current-weather", {}).status_code == 400
    calls = integration(admin, "weather")["calls"]
    assert (calls["total"], calls["failed"], calls["refused"]) == (2, 0, 1)
    assert 0 <= calls["averageMs"] <= calls["longestMs"]
    assert integration(admin, "news")["calls"]["total"] == 0
    told = admin.get(f"{BASE}/errors").json["calls"]
    [kind] = told["kinds"]
    assert (told["total"], kind["integration"], kind["count"]) == (2, "weather", 1)
    assert (kind["status"], kind["error"]) == ("refused", "invalid_request")
    with app.app_context(), write_transaction() as session:
        session.execute(text("UPDATE integration_calls SET created_at = '2020-01-01 00:00:00'"))
    assert integration(admin, "weather")["calls"]["total"] == 0


def test_today_counts_users_replies_calls_and_what_they_cost(app, alice, bob, admin):
    before = admin.get(f"{BASE}/today").json
    assert (before["activeUsers"], before["turns"], before["isWhole"]) == (
        0,
        {"count": 0, "credits": 0},
        True,
    )
    alice.turn(alice.new_chat(), "hello")
    assert alice.post("/api/integrations/current-weather", {"city": "Berlin"}).status_code == 200
    assert bob.post("/api/integrations/current-weather", {"city": "Rome"}).status_code == 200
    told = admin.get(f"{BASE}/today").json
    assert (told["activeUsers"], told["turns"]["count"], told["calls"]["count"]) == (2, 1, 2)
    spent = sum(1000 - one.get("/api/credits").json["balance"] for one in (alice, bob))
    assert told["turns"]["credits"] + told["calls"]["credits"] == pytest.approx(spent)
    assert told["newUsers"] == told["users"] >= 2
    with app.app_context(), write_transaction() as session:
        session.execute(text("UPDATE turns SET created_at = '2020-01-01 00:00:00.000000'"))
    assert admin.get(f"{BASE}/today").json["turns"]["count"] == 0
