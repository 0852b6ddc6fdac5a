"""The tools of endpoints: what they say of price and effects, what they cost, and slow calls."""

import json
import re

import pytest
from jsonschema_rs import Draft202012Validator

from service.integrations.documents import body_schema
from service.integrations.everything import catalog
from service.mcp.jobs import LONGEST_WAIT
from service.mcp.tool_list import effects_of_endpoint
from tests.integrations.conftest import vendor  # noqa: F401
from tests.mcp.schemas import references
from tests.services import on_sqlite

OWN = "current-weather,cloudsuite/mail-send,generate-image-classic"
WEATHER = {"endpoint": "current-weather", "body": {"city": "Berlin"}}
TEXT = {"endpoint": "generate-text", "body": {"prompt": "hello"}}
VIDEO = {"endpoint": "aivideo-create-video", "body": {"prompt": "a walk"}}


def tools(speaker):
    return {tool["name"]: tool for tool in speaker.result("tools/list")["tools"]}


def texts(result):
    return [content["text"] for content in result["content"]]


def test_the_schema_of_every_endpoint_can_be_a_tools():
    for endpoint in catalog():
        schema = body_schema(endpoint)
        assert schema["type"] == "object"
        Draft202012Validator(schema)
        assert references(schema) == []
        # The APIs of the providers refuse alternatives for the whole input of a tool.
        assert schema.keys().isdisjoint({"anyOf", "oneOf", "allOf", "not", "enum"})
        for one in schema["properties"].values():
            assert all("type" in either for either in one.get("anyOf", ())), endpoint.name


def test_only_what_never_asks_is_marked_as_reading():
    for endpoint in catalog():
        effects = effects_of_endpoint(endpoint)
        assert effects.reads == endpoint.access.auto_approve
        assert effects.destroys != endpoint.access.reads
        assert effects.outside
        assert ("Ask the user first" in effects.text) != endpoint.access.auto_approve


@on_sqlite
@pytest.mark.settings(assistant_endpoints=OWN)
def test_endpoints_are_tools_with_price_and_effects(speaker):
    listed = tools(speaker)
    assert {"integrations_find", "integrations_call", "integrations_job"} <= set(listed)
    weather, mail = listed["current-weather"], listed["cloudsuite_mail-send"]
    assert weather["annotations"]["readOnlyHint"] is True
    assert "Costs 0." in weather["description"]
    assert (mail["annotations"]["readOnlyHint"], mail["annotations"]["destructiveHint"]) == (
        False,
        True,
    )
    assert "Changes something outside." in mail["description"]
    assert "Costs up to" in listed["generate-image-classic"]["description"]
    assert mail["inputSchema"]["required"] == ["content", "subject", "to"]


@on_sqlite
@pytest.mark.settings(mcp_endpoints="off", assistant_endpoints=OWN)
def test_the_catalog_can_be_switched_off(speaker):
    listed = tools(speaker)
    assert "records_query" in listed
    assert not any("integrations" in name or "weather" in name for name in listed)
    instructions = speaker.ask("initialize").json.get("result", {}).get("instructions", "")
    assert "integrations" not in instructions


@on_sqlite
@pytest.mark.settings(tools_allowed="records.query,integrations.find")
def test_the_tool_for_slow_calls_comes_with_calls_only(speaker):
    assert set(tools(speaker)) == {"records_query", "integrations_find"}


@on_sqlite
def test_what_ends_before_the_call_leaves_no_record(speaker, alice):
    for endpoint in ("current-weather", "cloudsuite/mail-list"):
        assert speaker.call("integrations_call", endpoint=endpoint, body={})["isError"]
    assert alice.records("integration-calls") == []
    speaker.call("integrations_call", **WEATHER)
    (record,) = alice.records("integration-calls")
    assert (record["data"]["door"], record["data"]["status"]) == ("mcp", "succeeded")


@on_sqlite
def test_an_endpoint_is_found_and_called(speaker):
    found = speaker.call("integrations_find", query="weather forecast")["structuredContent"]
    assert "weather-forecast" in [one["endpoint"] for one in found["endpoints"]]
    result = speaker.call("integrations_call", **WEATHER)
    assert result["isError"] is False
    assert result["structuredContent"]["place"]["name"]


@on_sqlite
@pytest.mark.settings(assistant_endpoints=OWN)
def test_an_endpoint_that_is_a_tool_takes_its_body(speaker):
    result = speaker.call("current-weather", city="Berlin")
    assert result["structuredContent"]["place"]["name"]
    refused = speaker.call("current-weather", town="Berlin")
    assert (refused["isError"], "town" in texts(refused)[0]) == (True, True)


@on_sqlite
def test_a_call_is_charged_and_says_so(speaker, alice):
    result = speaker.call("integrations_call", **TEXT)
    assert result["isError"] is False, texts(result)
    account = alice.get("/api/credits").json
    [charge] = [entry for entry in account["entries"] if entry["kind"] == "charge"]
    assert charge["facts"]["door"] == "mcp"
    left = account["balance"]
    told = f"Charged {-charge['amount']} credits; {left} credits are left."
    assert texts(result)[1:] == [told]


@on_sqlite
def test_a_call_that_is_repeated_with_its_key_is_made_once_as_over_http(speaker, alice):
    keyed = {**TEXT, "idempotencyKey": "mail of 12:30"}
    first, second = (speaker.call("integrations_call", **keyed) for _ in range(2))
    assert first["isError"] is False, texts(first)
    assert second == first
    path, headers = "/api/integrations/generate-text", {"Idempotency-Key": "mail of 12:30"}
    again = alice.post(path, TEXT["body"], headers=headers)
    assert again.json["data"] == first["structuredContent"]
    kinds = [entry["kind"] for entry in alice.get("/api/credits").json["entries"]]
    assert kinds.count("charge") == 1
    assert len(alice.get("/api/ai/journal").json["entries"]) == 1
    other = speaker.call("integrations_call", **{**keyed, "body": {"prompt": "bye"}})
    assert (other["isError"], "another body" in texts(other)[0]) == (True, True)
    wrong = speaker.call("integrations_call", **{**keyed, "idempotencyKey": " x"})
    assert (wrong["isError"], "idempotencyKey" in texts(wrong)[0]) == (True, True)


@on_sqlite
@pytest.mark.settings(starting_credits=1_234_567)
def test_a_long_balance_is_told_to_its_last_digit(speaker):
    speaker.call("integrations_call", **TEXT)
    told = texts(speaker.call("integrations_call", **TEXT))[-1]
    left = speaker.person.get("/api/credits").json["balance"]
    assert told.endswith(f"; {left} credits are left.")


@on_sqlite
def test_half_a_character_in_an_answer_does_not_lose_it(speaker, vendor):  # noqa: F811
    """Vendors cut texts between the two halves of an emoji. UTF-8 has no place for a half."""
    vendor.says({"results": [{"id": "1", "url": "https://example.com/", "title": "cut \ud83d"}]})
    body = {"endpoint": "neuralsearch-search", "body": {"query": "kites"}}
    result = speaker.call("integrations_call", **body)
    assert result["isError"] is False, texts(result)
    assert result["structuredContent"]["results"][0]["title"] == "cut \ufffd"


@on_sqlite
def test_a_call_that_changes_something_outside_is_in_the_journal(speaker, alice):
    speaker.call("integrations_call", **TEXT)
    journal = alice.get("/api/ai/journal").json["entries"]
    assert all(entry["turnId"].startswith("mcp_") for entry in journal)
    assert len(journal) == 1


@on_sqlite
def test_texts_name_the_tools_as_they_are_listed(speaker):
    listed = json.dumps(speaker.result("tools/list")["tools"])
    assert "integrations_find" in listed
    assert re.findall(r"(?:integrations|records|schema)\.\w+", listed) == []
    refused = speaker.call("integrations_call", endpoint="generate-txt")
    assert "integrations_find tells which there are" in texts(refused)[0]


@on_sqlite
@pytest.mark.settings(starting_credits=0)
def test_what_can_not_be_called_is_an_error_to_act_on(speaker):
    faults = {
        "not enough credits": TEXT,
        "The nearest names": {"endpoint": "generate-txt", "body": {}},
        "city": {"endpoint": "current-weather", "body": {"city": 5}},
    }
    for text, arguments in faults.items():
        result = speaker.call("integrations_call", **arguments)
        assert result["isError"] is True
        assert text in texts(result)[0]


@on_sqlite
def test_a_slow_call_is_looked_at_again(speaker, bob):
    result = speaker.call("integrations_call", **VIDEO)
    job = result["structuredContent"]
    assert job["status"] == "running", result
    assert "ask integrations_job for it" in texts(result)[-1]
    looked = speaker.call("integrations_job", jobId=job["jobId"])
    assert looked["structuredContent"]["jobId"] == job["jobId"]
    speaker.person = bob
    assert speaker.call("integrations_job", jobId=job["jobId"])["isError"] is True


@on_sqlite
def test_the_wait_for_a_slow_call_ends_before_clients_give_up(speaker, app, monkeypatch):
    waits: list[float] = []
    jobs = app.extensions["proxy"].jobs
    monkeypatch.setattr(jobs, "watch", lambda job, endpoint, wait: waits.append(wait))
    for wait in (60, "60", 5):
        body = {**VIDEO["body"], "wait": wait}
        speaker.call("integrations_call", **{**VIDEO, "body": body})
    assert waits == [LONGEST_WAIT, 5]
