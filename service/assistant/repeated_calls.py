"""Calls that the model makes again, although an earlier try of the message has sent the same.

Such a call is not sent again. The model gets its stored answer, or learns that the result is
unknown. Nothing is sent, so the user is not asked. The answer of a paid read is returned for an
hour; afterwards the read is made again.
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
from service.integrations.calling.idempotency import KEPT_SECONDS, OutcomeUnknown
from service.integrations.calling.key_rows import has_answer
from service.integrations.calling.proxy import Proxy
from service.integrations.declare.endpoint import Endpoint
from service.times import now
from service.web.errors import Conflict

READS_SECONDS = 3600.0  # for which the answer of a read is new enough

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
    """A call of an earlier try. If `is_final` is true, it can't be made again."""

    entry: Entry
    is_final: bool

    @property
    def has_lapsed(self) -> bool:
        """Whether another call may have its key by now."""
        return self.is_older(KEPT_SECONDS)

    def is_older(self, seconds: float) -> bool:
        age: timedelta = now() - self.entry.created_at
        return age >= timedelta(seconds=seconds)


def fingerprint(item: Endpoint, body: Mapping[str, Any]) -> str:
    """Return the fingerprint of a call, which does not depend on the tool."""
    return fingerprint_of(CALLS, [item.name, body])


def find(
    proxy: Proxy, item: Endpoint, context: ToolContext, body: Mapping[str, Any]
) -> EarlierCall | None:
    """Return an equal call of an earlier try that has not been returned yet, or None.

    A call with an unknown result may be made again if its endpoint is declared safe to repeat.
    Behind a gateway the other instance decides this by the key. A read whose answer is too old or
    lost is skipped, so that a later read is found. A read with an answer is preferred to one
    without.
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
    """Return a read whose answer is new enough and still stored; otherwise None.

    Behind a gateway the other instance has the key. If no answer has come from there, the user is
    asked again, because the read may not have been made.
    """
    earlier = EarlierCall(entry, is_final=entry.outcome == READ)
    if earlier.is_older(READS_SECONDS):
        return None
    if proxy.gateway:
        return earlier
    return earlier if has_answer(context.caller.subject, item.name, str(entry.call_id)) else None


def give(context: ToolContext, earlier: EarlierCall, ask: Callable[[], T]) -> T:
    """Return what `ask` returns, and drop the earlier call, so that it is returned only once.

    Raises `Conflict` if its answer is unknown, or not known yet.
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
