"""The request that the assistant passes to the proxy for a call.

Source: docs/contract.md, section 14.1.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from service.assistant import repeated_calls
from service.assistant.repeated_calls import EarlierCall
from service.chat.external_calls import CallEntry, ReadElsewhereEntry, ReadEntry
from service.chat.tools.run import FAILED, UNSURE
from service.chat.tools.tool import ToolContext
from service.ids import new_id
from service.integrations.calling.proxy import Proxy
from service.integrations.declare.endpoint import Endpoint
from service.integrations.inbound import Inbound, ProxyResponse
from service.web.errors import Conflict, ServiceError, Unavailable, UpstreamFailed

CALL = "integrations.call"  # the tool; the journal has every call under this name


def ask(
    proxy: Proxy,
    item: Endpoint,
    context: ToolContext,
    body: Mapping[str, Any],
    approval: str | None,
    earlier: EarlierCall | None,
) -> ProxyResponse:
    """Make the call, with the key of the earlier call if there is one. Raises `ServiceError`.

    A call that changes something outside, or costs credits, has an entry in the journal. If it is
    unknown whether the call was made, the error says so.
    """
    key = str(earlier.entry.call_id) if earlier else _key(context)
    note = _note(proxy, context, item, body, key, earlier)
    inbound = Inbound(
        caller=context.caller,
        token=context.token,
        endpoint=item.name,
        read=lambda: body,
        idempotency_key=key,
        approval=approval,
        door=context.door,
        chat_id=context.chat_id if context.is_in_chat else None,
        again=earlier is not None and earlier.is_final,
        note=note,
    )
    try:
        answer = proxy.call(inbound)
        if answer.status >= 400:
            raise refusal(answer)
    except ServiceError as error:
        if note and note.may_have_happened and not note.was_made:
            error.message = f"{error.message} {UNSURE}"
        raise
    except SQLAlchemyError:
        if note and note.may_have_happened:
            raise Unavailable(f"{FAILED} {UNSURE}") from None
        raise
    return answer


def _key(context: ToolContext) -> str:
    return context.key or context.call_id or new_id("call")


def _note(
    proxy: Proxy,
    context: ToolContext,
    item: Endpoint,
    body: Mapping[str, Any],
    key: str,
    earlier: EarlierCall | None,
) -> CallEntry | None:
    """Return the journal's entry about a call outside the app, if it needs one.

    The entry about a read only serves the next try of the message.
    """
    if item.access.reads and not (item.max_credits and context.user_message_id):
        return None
    read = ReadElsewhereEntry if proxy.gateway else ReadEntry
    entry = read if item.access.reads else CallEntry
    return entry(
        turn_id=context.turn_id,
        chat_id=context.chat_id,
        user_id=context.caller.subject,
        tool=CALL,
        endpoint=item.name,
        user_message_id=context.user_message_id,
        fingerprint=repeated_calls.fingerprint(item, body),
        call_id=key,
        earlier=earlier.entry.seq if earlier else None,
    )


def refusal(answer: ProxyResponse) -> Conflict | UpstreamFailed:
    """Convert the error of another instance for the model."""
    message = str(answer.envelope.get("message") or "")
    if answer.status == Conflict.status:
        return Conflict(message, outcome=answer.envelope.get("outcome"))
    return UpstreamFailed(message, upstreamStatus=None)
