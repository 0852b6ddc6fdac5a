"""A team chat that posts what an assistant sends, as a vendor outside."""

import json

from gevent.event import Event

from tests.assistant.endpoint_calls import call
from tests.upstream import Answer, ScriptedUpstream, Seen

SEND = "teamchat-send-message"
BODY = {"channel": "C1", "text": "release is out"}
POST = call(SEND, **BODY)  # a model's answer
JSON = {"Content-Type": "application/json"}
POSTED = Answer(json.dumps({"ok": True, "ts": "1.2", "channel": "C1"}), headers=JSON)
ARCHIVED = Answer(json.dumps({"ok": False, "error": "is_archived"}), headers=JSON)


class TeamChat(ScriptedUpstream):
    """It gives its `reply` once its `gate` is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.reply, self.answers = Event(), POSTED, [self._answer]
        self.gate.set()

    def stop(self) -> None:
        self.gate.set()
        super().stop()

    @property
    def settings(self) -> dict[str, str]:
        return {
            "SLACK_BASE_URL": self.url,
            "SLACK_BOT_TOKEN": "xoxb-1",
            "SLACK_CHANNELS": BODY["channel"],
        }

    @property
    def texts(self) -> list[str]:
        """What was posted."""
        return [seen.json["text"] for seen in self.seen]

    def _answer(self, _seen: Seen) -> Answer:
        self.gate.wait(20)
        return self.reply
