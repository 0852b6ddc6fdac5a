"""Rooms over LiveKit."""

import json
from datetime import datetime

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from config import Settings
from config_addresses import server
from service.app_keys import APP_SETTINGS
from service.integrations.declare.setting import VENDOR_SETTINGS
from tests.integrations.scripted_vendor import Said
from tests.services import on_sqlite

pytestmark = [on_sqlite, pytest.mark.usefixtures("shared_app")]
SECRET = "a secret of livekit that is long"


@pytest.fixture(autouse=True)
def credentials(app, vendor):
    keys = {"LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": SECRET}
    VENDOR_SETTINGS.set(app, {**VENDOR_SETTINGS.of(app), **keys})


@pytest.fixture
def instance(app):
    return APP_SETTINGS.of(app).instance


def claims_of(token):
    return jwt.decode(token.removeprefix("Bearer "), OctKey.import_key(SECRET)).claims


@pytest.mark.parametrize(
    ("endpoint", "body", "grant"),
    [
        ("rtc-create-room", {"name": "standup"}, {"roomCreate": True}),
        ("rtc-list-participants", {"room": "standup"}, {"roomAdmin": True, "room": "{}-standup"}),
    ],
)
def test_a_request_is_granted_just_what_it_needs(ask, vendor, instance, endpoint, body, grant):
    vendor.says({"sid": "RM_1", "participants": []})
    assert ask(endpoint, body).status_code == 200
    claims = claims_of(vendor.seen[0].headers["authorization"])
    texts = {n: one.format(instance) if isinstance(one, str) else one for n, one in grant.items()}
    assert (claims["iss"], claims["video"]) == ("key", texts)
    assert claims["exp"] - claims["nbf"] == 60
    assert f"{instance}-standup" in json.loads(vendor.seen[0].body).values()


def test_who_joins_is_the_caller_in_a_room_of_this_deployment(alice, ask, vendor, instance):
    body = {"room": "standup", "name": "Ada", "canPublish": False, "ttlSeconds": 600}
    data = ask("rtc-join-room", body).json["data"]
    claims = claims_of(data["token"])
    assert claims["video"] == {
        "roomJoin": True,
        "room": f"{instance}-standup",
        "canPublish": False,
        "canSubscribe": True,
        "canPublishData": True,
    }
    assert (claims["sub"], claims["name"], claims["iss"]) == (alice.subject, "Ada", "key")
    assert "metadata" not in claims
    assert claims["exp"] - claims["nbf"] == 600
    assert abs(datetime.fromisoformat(data["expiresAt"]).timestamp() - claims["exp"]) <= 1
    assert (data["identity"], data["room"]) == (alice.subject, "standup")
    assert data["url"] == vendor.url.replace("http://", "ws://")
    assert vendor.seen == []


def test_nobody_else_can_be_named(ask):
    answer = ask("rtc-join-room", {"room": "standup", "identity": "bob"})
    assert (answer.status_code, list(answer.json["details"])) == (400, ["identity"])


def test_what_a_server_leaves_out_is_nothing(ask, vendor):
    tracks = [{"sid": "TR_1", "muted": True}, {"sid": "TR_2", "type": "AUDIO"}]
    ada = {"identity": "ada", "is_publisher": True, "joined_at": "1795350060", "tracks": tracks}
    vendor.says({"participants": [ada, {"identity": "ben"}]})
    first, second = ask("rtc-list-participants", {"room": "x"}).json["data"]["participants"]
    assert (first["isPublisher"], first["joinedAt"]) == (True, 1795350060)
    assert [one["muted"] for one in first["tracks"]] == [True, False]
    assert (second["isPublisher"], second["joinedAt"], second["tracks"]) == (False, 0, [])


@pytest.mark.parametrize("said", [Said({"code": "not_found", "msg": "no room"}, 404), Said({})])
def test_nobody_is_in_a_room_that_does_not_exist(ask, vendor, said):
    vendor.says(said)
    assert ask("rtc-list-participants", {"room": "x"}).json["data"] == {"participants": []}


@pytest.mark.parametrize("said", [Said({"code": "bad_route", "msg": "x"}, 404), Said(b"x", 404)])
def test_a_wrong_address_is_not_an_empty_room(ask, vendor, said):
    vendor.says(said)
    answer = ask("rtc-list-participants", {"room": "x"})
    assert (answer.status_code, answer.json["error"]) == (404, "not_found")


@pytest.mark.parametrize(
    "answer",
    [
        {"creation_time": "1795350000", "max_participants": 8, "num_participants": 1},
        {"creationTime": "1795350000", "maxParticipants": 8, "numParticipants": 1},
        {"creation_time": 1795350000, "max_participants": 8, "num_participants": 1},
    ],
)
def test_names_of_fields_in_both_spellings(ask, vendor, answer):
    vendor.says({"sid": "RM_1", "name": "x", **answer})
    data = ask("rtc-create-room", {"name": "standup"}).json["data"]
    assert (data["createdAt"], data["maxParticipants"]) == (1795350000, 8)
    assert (data["name"], data["numParticipants"], data["emptyTimeout"]) == ("standup", 1, 0)


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("wss://app.livekit.cloud/", "https://app.livekit.cloud"),
        ("ws://127.0.0.1:7880", "http://127.0.0.1:7880"),
        ("https://app.livekit.cloud", "https://app.livekit.cloud"),
    ],
)
def test_a_server_is_known_by_its_web_socket_address_too(value, url):
    assert server(value) == url
    with pytest.raises(ValueError, match="must be a wss, ws, https or http URL"):
        server("wss:app")


def test_deployments_have_names_of_their_own():
    one, other = (Settings(public_url=f"https://{name}.example") for name in "ab")
    assert one.instance != other.instance
    assert one.instance == Settings(public_url="https://a.example").instance
