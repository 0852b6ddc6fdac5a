"""The question of one turn: plain data that outlives its HTTP request."""

import time
from dataclasses import dataclass, field

from service.auth.users import Caller
from service.providers.provider import Model

# The `chat_id` of autonomous calls and of calls by other clients, which belong to no chat. The
# journal has it too, because its column is never null.
NO_CHAT = ""


@dataclass(frozen=True, slots=True)
class Question:
    """The question of one turn. It refers to no row and no connection.

    `began` is monotonic, in seconds. `replaces` has the ids of the stored messages that this turn
    replaces: a user's message and all messages after it. `history_end` is the sequence number of
    the first of them. `answered_by` is the last turn that answered `user_message_id`. `has_history`
    is false if the chat had no messages when the turn was admitted, and `has_earlier` is false if
    no earlier try of the message had written anything. `hold_amount` and `budget` are in
    micro-credits; `budget` is what the caller may spend in a day. `token` is the caller's bearer
    token as received. `system` is the system text, and `aside` tells the model the time next to the
    content. All steps of the turn have the same `system` and `aside`.
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
