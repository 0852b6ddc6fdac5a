"""The question of one turn: plain data, which outlives its HTTP request."""

import time
from dataclasses import dataclass, field

from service.auth.users import Caller
from service.providers.provider import Model

# The `chat_id` of what happens outside of a chat, in the journal too, whose column is never null:
# an autonomous call, and calls of other clients.
NO_CHAT = ""


@dataclass(frozen=True, slots=True)
class Question:
    """It refers to no row and no connection. `began` is monotonic, in seconds.

    `replaces` are the ids of the stored messages that this turn replaces: a user's message and all
    after it. `history_end` is the sequence number of the first of them. `answered_by` is the last
    turn that answered `user_message_id`. `has_history` is false if the chat had no messages at the
    turn's admission, and `has_earlier` if no earlier try of the message had written anything.
    `hold_amount` is in micro-credits, and so is `budget`, what the caller may spend a day. `token`
    is the caller's bearer as it came. `system` is the system text, and `aside` tells the model the
    time beside the content; all steps of the turn have the same.
    """

    turn_id: str
    chat_id: str
    caller: Caller
    user_message_id: str
    assistant_message_id: str
    content: str
    model: Model
    request_id: str
    hold_id: str
    hold_amount: int
    budget: int | None = None
    replaces: tuple[str, ...] = ()
    history_end: int | None = None
    answered_by: str | None = None
    has_history: bool = True
    has_earlier: bool = True
    token: str = field(default="", repr=False)
    system: str = field(default="", repr=False)
    aside: str = ""
    began: float = field(default_factory=time.monotonic)

    @property
    def is_in_chat(self) -> bool:
        return self.chat_id != NO_CHAT
