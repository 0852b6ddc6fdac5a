"""What one turn has to answer: plain data, which outlives the request it came with."""

import time
from dataclasses import dataclass, field

from service.auth.users import Caller
from service.providers.provider import Model


@dataclass(frozen=True)
class Question:
    """Holds no row and no connection; `began` is on the monotonic clock, in seconds.

    `replaces` are the stored messages that this turn replaces: the question and, unless it was
    deleted, its answer. `answered_by` is the turn that stored them. `held` is the amount of the
    hold in micro-credits.
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
    held: int
    replaces: tuple[str, ...] = ()
    answered_by: str | None = None
    began: float = field(default_factory=time.monotonic)
