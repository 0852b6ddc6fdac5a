"""The messages of a channel, and new messages, only in channels that the operator has opened."""

from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.declare.endpoint import READ, WRITE, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import Count, Parameters, Several, Switch, Words
from service.integrations.declare.fields import Values as Block
from service.integrations.declare.json_paths import find
from service.integrations.declare.request import get, post
from service.integrations.declare.says import Says
from service.integrations.declare.shape import Bool, Each, Int, Made, Maybe, Shape, Values
from service.integrations.vendors.slack.channels import NEXT
from service.integrations.vendors.slack.vendor import (
    CHANNEL,
    DOCS,
    OPEN_CHANNELS,
    SLACK,
    refuse_closed,
)

TIME = r"^[0-9]{1,12}(\.[0-9]{1,6})?$"


def _author(message: Any, values: Values) -> str | None:
    """Return a user's id, or a bot's."""
    ids = [find(message, name) for name in ("user", "bot_id")]
    return next((one for one in ids if isinstance(one, str)), None)


MESSAGE = Shape(
    ts="ts", user=Made(Maybe(""), _author), text=Maybe("text"), subtype=Maybe("subtype"),
    threadTs=Maybe("thread_ts"), replyCount=Maybe(Int("reply_count")),
    reactions=Each("reactions", Shape(name="name", count=Maybe(Int("count"))), default=()),
)  # fmt: skip


class History(Parameters):
    channel = Words("The channel's id.", most=80, to="query.channel", required=True)
    oldest = Words(
        "Only messages after this time, in seconds since 1970, or after the one with this `ts`.",
        pattern=TIME, to="query.oldest",
    )  # fmt: skip
    latest = Words("Only messages before this time.", pattern=TIME, to="query.latest")
    inclusive = Switch(
        "Also the messages at `oldest` and `latest`.", to="query.inclusive", default=False
    )
    limit = Count("Messages of a page.", least=1, most=999, to="query.limit", default=50)
    cursor = Words("The `nextCursor` of the page before.", most=256, to="query.cursor")


history = Endpoint(
    name="teamchat-channel-history", vendor=SLACK, category="chat",
    summary="Messages of a channel, the newest first.",
    docs=f"{DOCS}/conversations.history", access=READ, seconds=20, needs=(OPEN_CHANNELS,),
    takes=History, allows=refuse_closed, asks=get("/conversations.history"),
    gives=Shape(
        messages=Each("messages", MESSAGE), hasMore=Maybe(Bool("has_more")), nextCursor=NEXT
    ),
    examples=(example(
        {"channel": CHANNEL, "oldest": "1512000000", "latest": "1512104434.000490", "limit": 2,
         "cursor": "bmV4dF90czoxNTEyMDg1ODYxMDAwNTQz"},
        f"GET /conversations.history?channel={CHANNEL}&oldest=1512000000"
        "&latest=1512104434.000490&inclusive=false&limit=2"
        "&cursor=bmV4dF90czoxNTEyMDg1ODYxMDAwNTQz",
        {"ok": True, "messages": [
            {"type": "message", "user": "U012AB3CDE", "text": "I find you punny",
             "ts": "1512085950.000216", "thread_ts": "1512085950.000216", "reply_count": 3,
             "reactions": [{"name": "tada", "users": ["U061F7AUR"], "count": 1}]},
            {"type": "message", "subtype": "bot_message", "bot_id": "B061F7AUR",
             "text": "The build has passed", "ts": "1512085900.000100"},
        ], "has_more": True, "response_metadata": {"next_cursor": "bmV4dF90czoxNTEyMDg1ODYx"}},
    ),),
)  # fmt: skip


class Message(Parameters):
    channel = Words("The channel's id.", most=80, to="json.channel", required=True)
    text = Words(
        "The message; with blocks, what notifications show, and then it may be empty.",
        least=0, most=40_000, to="json.text", required=True,
    )  # fmt: skip
    threadTs = Words(
        "The `ts` of the message to reply to.", pattern=r"^[0-9]{1,12}\.[0-9]{6}$",
        to="json.thread_ts",
    )  # fmt: skip
    blocks = Several(
        Block(), "Blocks of Slack's Block Kit, which lay the message out.", least=1, most=50,
        to="json.blocks",
    )  # fmt: skip
    replyBroadcast = Switch(
        "Show a reply in the channel too.", to="json.reply_broadcast", default=False
    )
    unfurlLinks = Switch("Show previews of linked pages.", to="json.unfurl_links")

    @validates_schema
    def check_text(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not data["text"].strip() and "blocks" not in data:
            raise ValidationError("Must not be blank without blocks.", "text")


message = Endpoint(
    name="teamchat-send-message", vendor=SLACK, category="chat",
    summary="Send a message to a channel as the bot.",
    says=Says("Sending a message to the team chat", "Sent a message to the team chat: “{text}”"),
    docs=f"{DOCS}/chat.postMessage", access=WRITE, seconds=20, needs=(OPEN_CHANNELS,),
    takes=Message, allows=refuse_closed, asks=post("/chat.postMessage"),
    gives=Shape(ts="ts", channel=Maybe("channel"), text=Maybe("message.text")),
    examples=(example(
        {"channel": CHANNEL, "text": "Here it is", "threadTs": "1503435956.000247",
         "blocks": [{"type": "divider"}], "unfurlLinks": False},
        "POST /chat.postMessage",
        {"ok": True, "channel": CHANNEL, "ts": "1503435957.000247", "message": {
            "text": "Here it is", "username": "ecto1", "bot_id": "B123ABC456", "type": "message",
            "subtype": "bot_message", "ts": "1503435957.000247",
        }},
        body={
            "channel": CHANNEL, "text": "Here it is", "thread_ts": "1503435956.000247",
            "blocks": [{"type": "divider"}], "reply_broadcast": False, "unfurl_links": False,
        },
    ),),
)  # fmt: skip

ENDPOINTS = (history, message)
