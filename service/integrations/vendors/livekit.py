"""LiveKit: rooms for sound, pictures and data, which people join from a browser.

A room's name begins with the deployment's name, so that deployments may share an account. The
caller's id is the identity in a room: LiveKit drops the first of two participants with one
identity.
Source: docs.livekit.io/reference/other/roomservice-api, docs.livekit.io/frontends/authentication.
"""

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.credential import Signer
from service.integrations.declare.endpoint import FREE_READ, SAFE_WRITE, Endpoint
from service.integrations.declare.example import Example, example
from service.integrations.declare.fields import Count, Parameters, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.setting import Setting, secret
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Shape, Str, Values
from service.integrations.declare.vendor import Reply, Vendor
from service.times import timestamp

DOCS = "https://docs.livekit.io"
URL = "LIVEKIT_URL"
SERVICE = "/twirp/livekit.RoomService"
EPOCH = "Seconds since 1970."
SIX_HOURS = 6 * 3600
STANDUP = "63767aa5-standup"  # at http://127.0.0.1:8000
SIGNER = Signer(
    secret("LIVEKIT_API_KEY", "the key of a project", kind="text"),
    secret("LIVEKIT_API_SECRET", "the secret that goes with the key"),
    claims={},
)


def _is_no_room(reply: Reply) -> bool:
    """Return whether the room service itself answers. A wrong address is a 404 too, with
    `bad_route` or no code."""
    return reply.status != 404 or find(reply.body, "code") == "not_found"


LIVEKIT = Vendor(
    integration="rtc",
    name="livekit",
    bases=(Setting(URL, "the server, such as wss://app.livekit.cloud", "server", required=True),),
    credential=SIGNER,
    is_own=_is_no_room,
)


def _room(call: Call, name: str) -> str:
    """Return LiveKit's name of a room."""
    return f"{call.instance}-{name}"


def _granted(request: Outgoing, **grant: Any) -> Outgoing:
    """Return the request with a token that allows only this request."""
    return replace(request, credential=replace(SIGNER, claims={"video": grant}))


def _either(item: Any, name: str) -> Any:
    """Return a field's value. Servers write its name with underscores or in camel case."""
    first, *others = name.split("_")
    value = find(item, name)
    return find(item, first + "".join(map(str.title, others))) if value is None else value


def _int(name: str, about: str = "") -> Made:
    """Read a number, 0 if it is left out. 64-bit numbers are written as texts."""

    def number(item: Any, values: Values) -> int | None:
        value = _either(item, name)
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            return int(value[:20])
        known = isinstance(value, int) and not isinstance(value, bool)
        return value if known else 0 if value is None else None

    return Made(Maybe(Int("", about=about)), number)


def _switch(name: str) -> Made:
    """Read a boolean, which is false if it is left out."""
    return Made(Bool(""), lambda item, values: _either(item, name) is True)


class Room(Parameters):
    # LiveKit ignores zeros, also for a room that exists, which otherwise gets these values.
    # Source: github.com/livekit/livekit, pkg/service/roomallocator.go.
    name = Words(
        "The room's name. If the room exists, it gets the values of this call that are not 0.",
        most=128, required=True,
    )  # fmt: skip
    emptyTimeout = Count(
        "Seconds that it stays while nobody has joined; 0 stands for the server's default.",
        least=0, most=86_400, to="json.empty_timeout", default=300,
    )  # fmt: skip
    departureTimeout = Count(
        "Seconds that it stays when everybody has left; 0 stands for the server's default.",
        least=0, most=86_400, to="json.departure_timeout", default=20,
    )  # fmt: skip
    maxParticipants = Count(
        "How many may join; 0 stands for the server's default, which is usually no limit.",
        least=0, most=1000, to="json.max_participants", default=0,
    )  # fmt: skip
    metadata = Words("A text that participants see.", least=0, most=4096, to="json.metadata")


ROOM = Shape(
    sid="sid", emptyTimeout=_int("empty_timeout"), maxParticipants=_int("max_participants"),
    createdAt=_int("creation_time", EPOCH), metadata=Maybe("metadata"),
    numParticipants=_int("num_participants"),
)  # fmt: skip


def _create(call: Call, request: Outgoing, *, name: str) -> dict[str, Any]:
    request = request.plus(json={"name": _room(call, name)})
    return {"name": name, **ROOM.read(call.send(_granted(request, roomCreate=True)))}


create = Endpoint(
    name="rtc-create-room", vendor=LIVEKIT, category="realtime",
    summary="Create a room, or get the existing room of that name.",
    docs=f"{DOCS}/reference/other/roomservice-api#createroom", access=SAFE_WRITE, seconds=20,
    takes=Room, asks=post(f"{SERVICE}/CreateRoom", repeatable=True), run=_create,
    gives=Shape(ROOM, name=Str("name", about="The name that was asked for.")),
    examples=(example(
        {"name": "standup", "metadata": "daily", "maxParticipants": 8},
        f"POST {SERVICE}/CreateRoom",
        {
            "sid": "RM_hFkA9xWkUX4z", "name": STANDUP, "empty_timeout": 300,
            "departure_timeout": 20, "max_participants": 8, "creation_time": "1795350000",
            "metadata": "daily", "num_participants": 1, "num_publishers": 0,
            "active_recording": False,
        },
        body={
            "name": STANDUP, "empty_timeout": 300, "departure_timeout": 20,
            "max_participants": 8, "metadata": "daily",
        },
    ),),
)  # fmt: skip


class Entry(Parameters):
    room = Words("The room's name; it is made if there is none.", most=128, required=True)
    name = Words("The name that others see.", most=200)
    metadata = Words("A text that others see.", least=0, most=4096)
    canPublish = Switch("May send sound and pictures.", default=True)
    canSubscribe = Switch("May receive them.", default=True)
    canPublishData = Switch("May send data.", default=True)
    ttlSeconds = Count(
        "Seconds in which the token lets in.", least=60, most=86_400, default=SIX_HOURS
    )


def _join(
    call: Call,
    *,
    room: str,
    can_publish: bool,
    can_subscribe: bool,
    can_publish_data: bool,
    ttl_seconds: int,
    name: str | None = None,
    metadata: str | None = None,
) -> dict[str, Any]:
    grant = {
        "roomJoin": True,
        "room": _room(call, room),
        "canPublish": can_publish,
        "canSubscribe": can_subscribe,
        "canPublishData": can_publish_data,
    }
    texts = {"name": name, "metadata": metadata}
    named = {key: text for key, text in texts.items() if text is not None}
    expires = datetime.fromtimestamp(int(time.time()) + ttl_seconds, UTC)
    claims = {"sub": call.subject, **named, "video": grant}
    return {
        "token": SIGNER.sign(call.settings, claims, ttl_seconds),
        "url": call.settings[URL].replace("http", "ws", 1),
        "room": room,
        "identity": call.subject,
        "expiresAt": timestamp(expires),
    }


join = Endpoint(
    name="rtc-join-room", vendor=LIVEKIT, category="realtime",
    summary="A token with which only the caller can join a room.",
    docs=f"{DOCS}/frontends/authentication/tokens", access=SAFE_WRITE, seconds=20,
    takes=Entry, run=_join,
    gives=Shape(
        token=Str("token"), url="url", room="room", identity="identity", expiresAt="expiresAt"
    ),
    examples=(Example({"room": "standup", "name": "Ada", "metadata": "host"}, ()),),
)  # fmt: skip


class Members(Parameters):
    room = Words("The room's name.", most=128, required=True)


TRACK = Shape(
    sid="sid", type=Maybe("type"), source=Maybe("source"), muted=_switch("muted"),
)  # fmt: skip
PARTICIPANT = Shape(
    identity="identity", sid=Maybe("sid"), name=Maybe("name"), state=Maybe("state"),
    joinedAt=_int("joined_at", EPOCH), isPublisher=_switch("is_publisher"),
    metadata=Maybe("metadata"),
    kind=Maybe("kind"), tracks=Each("tracks", TRACK, default=()),
)  # fmt: skip
PARTICIPANTS = Shape(participants=Each("participants", PARTICIPANT, default=()))


def _participants(call: Call, request: Outgoing, *, room: str) -> dict[str, Any]:
    name = _room(call, room)
    request = request.plus(json={"room": name})
    return PARTICIPANTS.read(call.send(_granted(request, roomAdmin=True, room=name)))


participants = Endpoint(
    name="rtc-list-participants", vendor=LIVEKIT, category="realtime",
    summary="The participants of a room. The list is empty if the room does not exist.",
    docs=f"{DOCS}/reference/other/roomservice-api#listparticipants", access=FREE_READ, seconds=20,
    takes=Members,
    asks=post(f"{SERVICE}/ListParticipants", repeatable=True, instead={404: {}}),
    run=_participants, gives=PARTICIPANTS,
    examples=(example(
        {"room": "standup"}, f"POST {SERVICE}/ListParticipants",
        {"participants": [{
            "sid": "PA_bZ4Jd2cXzQ1y", "identity": "ada", "name": "Ada", "state": "ACTIVE",
            "joined_at": "1795350060", "is_publisher": True, "metadata": "host",
            "kind": "STANDARD",
            "tracks": [{"sid": "TR_1", "type": "AUDIO", "source": "MICROPHONE", "muted": True}],
        }]},
        body={"room": STANDUP},
    ),),
)  # fmt: skip

ENDPOINTS = (create, join, participants)
