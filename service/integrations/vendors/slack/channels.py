"""The workspace, and those of its channels that may be read and written."""

from typing import Any

from service.integrations.calling.call import Call
from service.integrations.declare.cache import Cache
from service.integrations.declare.endpoint import FREE_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Count, Parameters, Switch, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import as_list, need
from service.integrations.declare.request import Outgoing, get
from service.integrations.declare.shape import Bool, Each, Int, Maybe, Shape, Str
from service.integrations.vendors.slack.vendor import (
    CHANNEL,
    DOCS,
    OPEN_CHANNELS,
    SLACK,
    open_channels,
)

KINDS = "public_channel|private_channel|mpim|im"
NEXT = Maybe(Str("response_metadata.next_cursor", about="Empty on the last page."))

CHANNELS = Shape(
    channels=Each("channels", Shape(
        id="id", name=Maybe("name"), isPrivate=Maybe(Bool("is_private")),
        isArchived=Maybe(Bool("is_archived")), isMember=Maybe(Bool("is_member")),
        topic=Maybe("topic.value"), purpose=Maybe("purpose.value"),
        memberCount=Maybe(Int("num_members")),
    )),
    nextCursor=NEXT,
)  # fmt: skip
TEAM = Shape(
    id="team.id", name=Maybe("team.name"), domain=Maybe("team.domain"),
    emailDomain=Maybe("team.email_domain"), iconUrl=Maybe("team.icon.image_132"),
)  # fmt: skip


class Channels(Parameters):
    types = Words(
        "Kinds of channels, comma separated: `public_channel`, `private_channel`, `mpim` (a"
        " message to several), `im` (a message to one).",
        most=100, pattern=f"^({KINDS})(,({KINDS}))*$",
        to="query.types", default="public_channel",
    )  # fmt: skip
    excludeArchived = Switch("No archived channels.", to="query.exclude_archived", default=True)
    limit = Count(
        "Channels that Slack looks at for a page; the page has those of them that are open to this"
        " service.", least=1, most=999, to="query.limit", default=200,
    )  # fmt: skip
    cursor = Words("The `nextCursor` of the page before.", most=256, to="query.cursor")


def _id(channel: Any) -> str | None:
    """Return the channel's id, if that is a text."""
    found = find(channel, "id")
    return found if isinstance(found, str) else None


def _channels(call: Call, request: Outgoing) -> dict[str, Any]:
    allowed = open_channels(call.settings)
    answer = call.send(request)
    channels = [one for one in as_list(need(answer, "channels")) if _id(one) in allowed]
    return CHANNELS.read({**answer, "channels": channels})


channels = Endpoint(
    name="teamchat-channels", vendor=SLACK, category="chat",
    summary="The channels that may be read and written.",
    docs=f"{DOCS}/conversations.list", access=FREE_READ, seconds=20,
    cache=Cache(seconds=60, shared=True), needs=(OPEN_CHANNELS,),
    takes=Channels, asks=get("/conversations.list"), run=_channels, gives=CHANNELS,
    examples=(example(
        {"types": "public_channel,private_channel", "cursor": "dXNlcjpVMDYxTkZUVDI="},
        "GET /conversations.list?types=public_channel%2Cprivate_channel&exclude_archived=true"
        "&limit=200&cursor=dXNlcjpVMDYxTkZUVDI%3D",
        {"ok": True, "channels": [
            {"id": CHANNEL, "name": "general", "is_channel": True, "is_private": False,
             "is_archived": False, "is_member": True, "num_members": 4,
             "topic": {"value": "Company-wide announcements", "creator": "", "last_set": 0},
             "purpose": {"value": "News for everyone", "creator": "", "last_set": 0}},
            {"id": "C0000000009", "name": "board", "is_channel": True, "is_private": True,
             "is_archived": False, "is_member": True, "num_members": 2,
             "topic": {"value": "", "creator": "", "last_set": 0},
             "purpose": {"value": "", "creator": "", "last_set": 0}},
        ], "response_metadata": {"next_cursor": "dGVhbTpDMDYxRkE1UEI="}},
    ),),
)  # fmt: skip


class Team(Parameters):
    team = Words(
        "The workspace's id; only where the bot belongs to a whole organization.",
        pattern="^[A-Z0-9]{1,30}$", to="query.team",
    )  # fmt: skip


team = Endpoint(
    name="teamchat-team-info", vendor=SLACK, category="chat",
    summary="The workspace: its name, domain and icon.",
    docs=f"{DOCS}/team.info", access=FREE_READ, seconds=20,
    cache=Cache(seconds=3600, shared=True),
    takes=Team, asks=get("/team.info"), gives=TEAM,
    examples=(example(
        {"team": "T12345"}, "GET /team.info?team=T12345",
        {"ok": True, "team": {
            "id": "T12345", "name": "My Team", "domain": "example", "email_domain": "example.com",
            "icon": {"image_34": "https://example.com/34.png",
                     "image_132": "https://example.com/132.png", "image_default": True},
        }},
    ),),
)  # fmt: skip

ENDPOINTS = (channels, team)
