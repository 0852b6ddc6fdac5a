"""The team chat over Slack's Web API."""

import json

import pytest

from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]

READING, SENDING = "teamchat-channel-history", "teamchat-send-message"
CALLS = [(READING, {}), (SENDING, {"text": "Hello"})]
NOT_BLANK = "Must not be blank without blocks."
CHANNELS = [{"id": name, "name": name.lower()} for name in ("C1", "C2", "C3")]

each_call = pytest.mark.parametrize(("endpoint", "body"), CALLS, ids=["read", "send"])


@pytest.fixture(autouse=True)
def settings(app, vendor):
    app.extensions["vendor_settings"]["SLACK_CHANNELS"] = "C1, C3,"
    return app.extensions["vendor_settings"]


@each_call
def test_a_channel_that_is_not_listed_is_never_touched(ask, vendor, endpoint, body):
    for channel in ("C2", "c1", "#c1", "C1,", "C1, C3", " C1", ","):
        answer = ask(endpoint, {**body, "channel": channel})
        assert (answer.status_code, answer.json["error"]) == (403, "forbidden"), channel
        assert ask(f"price/{endpoint}", {**body, "channel": channel}).status_code == 403, channel
    assert vendor.seen == []


def test_a_message_is_blank_only_beside_blocks(ask, vendor):
    vendor.says({"ok": True, "ts": "1.000001"})
    blocks = [{"type": "divider"}]
    for text in ("", " "):
        blank = ask(SENDING, {"channel": "C1", "text": text})
        assert (blank.status_code, blank.json["details"]) == (400, {"text": [NOT_BLANK]})
        laid_out = ask(SENDING, {"channel": "C1", "text": text, "blocks": blocks})
        assert laid_out.status_code == 200
        assert vendor.seen.pop().json["text"] == text
    assert vendor.seen == []


@each_call
@pytest.mark.parametrize("channel", ["C1", "C3"])
def test_a_listed_channel_may_be_read_and_written(ask, vendor, endpoint, body, channel):
    vendor.says({"ok": True, "messages": [], "ts": "1.000001"})
    assert ask(endpoint, {**body, "channel": channel}).status_code == 200
    asked = vendor.seen[0]
    assert (asked.json or {"channel": asked.query.get("channel", [""])[0]})["channel"] == channel


def test_only_the_listed_channels_are_shown(ask, vendor):
    vendor.says({"ok": True, "channels": CHANNELS, "response_metadata": {"next_cursor": "x"}})
    data = ask("teamchat-channels").json["data"]
    assert ([one["id"] for one in data["channels"]], data["nextCursor"]) == (["C1", "C3"], "x")


@pytest.mark.parametrize(("limit", "status"), [(999, 200), (1000, 400)])
def test_slack_looks_at_fewer_than_a_thousand_channels(ask, vendor, limit, status):
    vendor.says({"ok": True, "channels": CHANNELS})
    assert ask("teamchat-channels", {"limit": limit}).status_code == status


@pytest.mark.parametrize("id_", [["C1"], {"C1": 1}, None, 1])
def test_a_channel_whose_id_is_no_text_is_not_shown(ask, vendor, id_):
    vendor.says({"ok": True, "channels": [{"id": id_, "name": "odd"}, None, *CHANNELS]})
    data = ask("teamchat-channels").json["data"]
    assert [one["id"] for one in data["channels"]] == ["C1", "C3"]


@pytest.mark.parametrize("value", [None, "", " , "])
def test_without_a_list_no_channel_is_open(ask, vendor, settings, value):
    settings.pop("SLACK_CHANNELS")
    settings |= {} if value is None else {"SLACK_CHANNELS": value}
    named = [(endpoint, {**body, "channel": "C1"}) for endpoint, body in CALLS]
    for endpoint, body in (*named, ("teamchat-channels", {})):
        answer = ask(endpoint, body)
        assert (answer.status_code, answer.json["error"]) == (503, "not_configured"), endpoint
        assert answer.json["setting"] == "SLACK_CHANNELS"
    assert vendor.seen == []


def test_without_a_list_the_catalog_says_what_can_not_be_used(app, alice, settings):
    """So no assistant asks its user for what would fail."""
    del settings["SLACK_CHANNELS"]
    endpoints = alice.get("/api/integrations/catalog").json["endpoints"]
    usable = {one["name"]: one["configured"] for one in endpoints if "teamchat" in one["name"]}
    assert usable == {
        "teamchat-channels": False, "teamchat-team-info": True, READING: False, SENDING: False,
    }  # fmt: skip
    assert app.extensions["proxy"].catalog.named(SENDING).missing(settings) == "SLACK_CHANNELS"


def test_the_workspace_is_shown_without_a_list(ask, vendor, settings):
    del settings["SLACK_CHANNELS"]
    vendor.says({"ok": True, "team": {"id": "T1"}})
    assert ask("teamchat-team-info").json["data"]["id"] == "T1"


def test_only_reading_and_writing_messages_asks_the_user(alice):
    endpoints = alice.get("/api/integrations/catalog").json["endpoints"]
    asking = {one["name"]: not one["autoApprove"] for one in endpoints if "teamchat" in one["name"]}
    assert asking == {
        "teamchat-channels": False, "teamchat-team-info": False, READING: True, SENDING: True,
    }  # fmt: skip


MEANINGS = [
    ("channel_not_found", 404, "not_found"),
    ("not_in_channel", 403, "forbidden"),
    ("is_archived", 403, "forbidden"),
    ("msg_too_long", 400, "invalid_request"),
    ("invalid_blocks", 400, "invalid_request"),
    ("rate_limited", 429, "rate_limited"),
    ("invalid_auth", 502, "upstream_provider_error"),
    ("missing_scope", 502, "upstream_provider_error"),
    ("too_many_contact_cards", 400, "invalid_request"),
    ("message_limit_exceeded", 429, "rate_limited"),
    ("slack_connect_file_link_sharing_blocked", 403, "forbidden"),
    (None, 502, "upstream_provider_error"),
    (["msg_too_long"], 502, "upstream_provider_error"),
]


def test_a_refusal_in_a_success_is_read_by_its_error(ask, vendor):
    for error, status, code in MEANINGS:
        vendor.says({"ok": False, "error": error})
        answer = ask(SENDING, {"channel": "C1", "text": "Hello"})
        assert (answer.status_code, answer.json["error"]) == (status, code), error


@pytest.mark.parametrize(
    ("error", "again"),
    [
        ("not_in_channel", 200),
        ("rate_limited", 200),
        ("too_many_contact_cards", 200),
        ("token_revoked", 200),
        ("missing_scope", 200),
        ("fatal_error", 409),
        ("service_unavailable", 409),
    ],
)
def test_a_message_that_slack_has_refused_may_be_sent_with_the_same_key(ask, vendor, error, again):
    """`fatal_error` may come after the message has been sent."""
    body, key = {"channel": "C1", "text": "Hello"}, {"headers": {"Idempotency-Key": "a"}}
    vendor.says({"ok": False, "error": error})
    ask(SENDING, body, **key)
    vendor.says({"ok": True, "ts": "1.000001"})
    assert ask(SENDING, body, **key).status_code == again


def test_what_was_sent_to_a_channel_is_known_by_its_key_after_the_channel_was_closed(
    ask, vendor, settings
):
    body, key = {"channel": "C1", "text": "Hello"}, {"headers": {"Idempotency-Key": "a"}}
    vendor.says({"ok": True, "ts": "1.000001"})
    sent = ask(SENDING, body, **key)
    settings["SLACK_CHANNELS"] = "C3"
    again = ask(SENDING, body, **key)
    assert (again.status_code, again.json, len(vendor.seen)) == (200, sent.json, 1)
    refused = [ask(SENDING, body, headers={"Idempotency-Key": "b"}) for _ in range(2)]
    assert [answer.status_code for answer in refused] == [403, 403]


def test_a_rate_limit_says_how_long_it_lasts(ask, vendor):
    vendor.says(Said({"ok": False, "error": "ratelimited"}, 429, {"Retry-After": "30"}))
    answer = ask(SENDING, {"channel": "C1", "text": "Hello"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "30")
    assert len(vendor.seen) == 1


def test_a_bot_is_the_author_where_no_user_is(ask, vendor):
    messages = [{"ts": "1.0", "user": "U1", "bot_id": "B1"}, {"ts": "2.0", "bot_id": "B1"}]
    vendor.says({"ok": True, "messages": messages})
    data = ask(READING, {"channel": "C1"}).json["data"]
    assert [one["user"] for one in data["messages"]] == ["U1", "B1"]


def test_without_any_open_channel_there_is_no_price_and_the_document_says_so(alice, ask, settings):
    del settings["SLACK_CHANNELS"]
    refused = ask(f"price/{SENDING}", {"channel": "C1", "text": "Hello"})
    assert (refused.status_code, refused.json["error"]) == (503, "not_configured")
    route = alice.get("/openapi.json").json["paths"]["/api/integrations/price/{endpoint}"]["post"]
    assert "NotConfigured" in json.dumps(route["responses"]["503"])
