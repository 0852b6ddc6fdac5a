"""Calls that the model makes again, although an earlier try of the message has sent the same.

Such a call is not sent again. The model gets its answer while this is stored, or learns that the
result is unknown. Nothing is sent, so the user is not asked. The answer of a paid read is given for
an hour, and the read is made again afterwards.
Source: docs/contract.md, sections 5.16 and 14.1.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from service.auth.users import current_role
from service.chat.earlier_writes import Entry, fingerprint_of
from service.chat.external_calls import CALLED, CALLS, LEFT, READ, READING, READS
from service.chat.tools.tool import ToolContext
from service.integrations.calling.idempotency import KEPT, OutcomeUnknown
from service.integrations.calling.key_rows import has_answer
from service.integrations.calling.proxy import Proxy
from service.integrations.declare.endpoint import Endpoint
from service.times import now
from service.web.errors import Conflict

READS_SECONDS = 3600.0  # for which what was read is new enough

GONE = (
    "An earlier try to answer this message has made this call. Its answer is not stored any more. "
    "It was not made again."
)
UNKNOWN = (
    "An earlier try to answer this message has sent this call, and nobody knows how it ended. "
    "It was not sent again. Look at what it has changed, or ask the user."
)
NOT_AGAIN = {LEFT: UNKNOWN, CALLED: GONE, READING: UNKNOWN, READ: GONE}

T = TypeVar("T")


@dataclass(frozen=True)
class EarlierCall:
    """A call of an earlier try. With `is_final` it can't be made again."""

    entry: Entry
    is_final: bool

    @property
    def has_lapsed(self) -> bool:
        """Whether its key may stand for another call by now."""
        return self.is_older(KEPT)

    def is_older(self, seconds: float) -> bool:
        return now() - self.entry.created_at >= timedelta(seconds=seconds)


def fingerprint(item: Endpoint, body: Mapping[str, Any]) -> str:
    """The same for the same call by whichever tool."""
    return fingerprint_of(CALLS, [item.name, body])


def find(
    proxy: Proxy, item: Endpoint, context: ToolContext, body: Mapping[str, Any]
) -> EarlierCall | None:
    """The call of an earlier try in the same words, if there is one that was not given yet.

    One of unknown end may be made again if its endpoint is declared safe to repeat. Behind a
    gateway the other instance decides about that, by the key. A read whose answer is of no use any
    more hides no later one, and one without an answer hides none that has one.
    """
    unanswered = None
    for entry in context.earlier.calls(fingerprint(item, body)):
        if entry.outcome not in READS:
            may_be_made = item.repeatable or proxy.gateway is not None
            return EarlierCall(entry, entry.outcome == CALLED or not may_be_made)
        read = _read(proxy, item, context, entry)
        if read and read.is_final:
            return read
        unanswered = unanswered or read
    return unanswered


def _read(proxy: Proxy, item: Endpoint, context: ToolContext, entry: Entry) -> EarlierCall | None:
    """A read whose answer is new enough and still stored; else None, and it is made again.

    Behind a gateway the other instance has the key. If no answer has come from there, the user is
    asked anew: the read may not have been made.
    """
    earlier = EarlierCall(entry, is_final=entry.outcome == READ)
    if earlier.is_older(READS_SECONDS):
        return None
    if proxy.gateway:
        return earlier
    return earlier if has_answer(context.caller.subject, item.name, str(entry.call_id)) else None


def give(context: ToolContext, earlier: EarlierCall, ask: Callable[[], T]) -> T:
    """Return what `ask` returns, and drop the earlier call, so that it is given once.

    Raises `Conflict` if its answer is not known, or not yet.
    """
    try:
        current_role(context.caller)  # refuses a user who was disabled since
        if earlier.is_final and earlier.has_lapsed:
            raise OutcomeUnknown()
        answer = ask()
    except Conflict as error:
        if error.facts.get("outcome") != "unknown":
            raise
        context.earlier.drop_call(earlier.entry)
        raise Conflict(NOT_AGAIN[earlier.entry.outcome]) from None
    context.earlier.drop_call(earlier.entry)
    return answer
