"""Make one tool call of a turn, after getting the user's grant and approval for it.

Source: docs/contract.md, section 14.
"""

from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from flask import Flask

from service.app_keys import APP_SETTINGS
from service.chat.calling import approvals
from service.chat.calling.waits import WAITS
from service.chat.stream import chunks
from service.chat.stream.chunks import Chunk
from service.chat.stream.parts import ASKED, EXPIRED
from service.chat.tools import run
from service.chat.tools.guard import ANSWERED
from service.chat.tools.requirements import (
    TOOL_SECONDS,
    GrantMissing,
    NeededApproval,
    NeededGrant,
    Needs,
)
from service.chat.tools.run import Outcome
from service.chat.tools.tool import Tool, ToolContext
from service.database.access import write_transaction
from service.observing import attribution
from service.observing.measures import tool_calls
from service.times import now, timestamp

ALLOWED = ("once", "chat")
REFUSALS = {
    "denied": "The user did not allow this call. It was not made. Do not try it again.",
    EXPIRED: "The user was asked to allow this call and did not answer in time. It was not made.",
}
NOBODY = "This call needs a person's approval, and nobody is here to give it."
NOT_CONNECTED = (
    "The user has to connect {provider} and allow {scopes} for this, and has not done so. "
    "The call was not made."
)

Steps = Generator[Chunk, None, Outcome]


def carry_out(app: Flask, tool: Tool, context: ToolContext, tool_input: dict[str, Any]) -> Steps:
    """Yield the parts that ask the user; returns the outcome of the call.

    The call is made with exactly the input that the user allowed: `tool_input` does not change in
    between. The user is not asked about a read that the guard answers.
    """
    if not tool.is_read(tool_input):
        return (yield from _ask_and_execute(app, tool, context, tool_input))
    if context.guard.repeats(tool.name, tool_input):
        return Outcome(ANSWERED)
    outcome = yield from _ask_and_execute(app, tool, context, tool_input)
    if outcome.error is not None:
        context.guard.forget(tool.name, tool_input)
    return outcome


def _ask_and_execute(
    app: Flask, tool: Tool, context: ToolContext, tool_input: dict[str, Any]
) -> Steps:
    """Get what the call needs from the user, then make it."""
    needs = run.needs_of(app, tool, context, tool_input)
    if isinstance(needs, Outcome):
        return needs
    if needs.of_user and not context.is_in_chat:
        only_grant = None if needs.approval else needs.grant
        return run.failure(_not_connected(only_grant) if only_grant else NOBODY)
    if needs.grant and not (yield from _connect(app, context, needs.grant)):
        return run.failure(_not_connected(needs.grant))
    if needs.approval:
        if needs.approval.costs_user:
            context.free_unused()  # otherwise they could be missing for the call
        refused = run.run_limited(app, tool, TOOL_SECONDS, needs.approval.check)
        if refused is not None:  # nobody is asked to allow a call that can't be paid
            return refused
        state = yield from _ask(app, context, needs.approval)
        if state not in ALLOWED:
            tool_calls(tool.name, "refused").inc()
            return run.failure(REFUSALS[state])
        context = replace(context, approval=state)
    return (yield from _execute(app, tool, context, tool_input, needs))


def _execute(
    app: Flask, tool: Tool, context: ToolContext, tool_input: dict[str, Any], needs: Needs
) -> Steps:
    """Run the tool. Run it a second time if the provider lacked a grant that the user gives now."""

    def execute() -> Outcome:
        context.check_turn(not tool.is_read(tool_input))
        with attribution.scope():  # later requests to models do not belong to this endpoint
            return run.execute(app, tool, context, tool_input, needs.seconds)

    if not tool.is_read(tool_input):
        context.guard.clear()
    try:
        return execute()
    except GrantMissing as missing:
        grant = missing.grant
    if not context.is_in_chat or not (yield from _connect(app, context, grant)):
        return run.failure(_not_connected(grant))
    try:
        return execute()
    except GrantMissing:
        return run.failure(_not_connected(grant))


def _ask(app: Flask, context: ToolContext, needed: NeededApproval) -> Generator[Chunk, None, str]:
    """Ask the user and wait; returns the state of the decision."""
    seconds, waits = APP_SETTINGS.of(app).approval_seconds, WAITS.of(app)
    with app.app_context(), write_transaction() as session:
        approvals.one_at_a_time(session, context.chat_id)
        if approvals.holds_in_chat(session, context, needed):
            return "chat"
        shown = approvals.ask(session, context, needed, seconds)
    yield chunks.ApprovalPart(context.call_id, {**shown, "state": ASKED})
    waits.wait_for_decision(context.call_id, seconds)
    with app.app_context(), write_transaction() as session:
        state = approvals.expire(session, context.call_id)
    yield chunks.ApprovalPart(context.call_id, {**shown, "state": state})
    return state


def _connect(app: Flask, context: ToolContext, needed: NeededGrant) -> Generator[Chunk, None, bool]:
    """Show which grant the call needs and wait; returns whether the user has granted it."""
    seconds, waits = APP_SETTINGS.of(app).approval_seconds, WAITS.of(app)
    shown = {
        "toolCallId": context.call_id,
        "endpoint": needed.endpoint,
        "provider": needed.provider,
        "scopes": list(needed.scopes),
        "expiresAt": timestamp(now() + timedelta(seconds=seconds)),
    }
    yield chunks.ConsentPart(context.call_id, {**shown, "state": ASKED})
    is_granted = waits.wait_for_grant(context.call_id, needed.is_granted, seconds)
    state = "granted" if is_granted else EXPIRED
    yield chunks.ConsentPart(context.call_id, {**shown, "state": state})
    return is_granted


def _not_connected(needed: NeededGrant) -> str:
    return NOT_CONNECTED.format(provider=needed.provider, scopes=", ".join(needed.scopes))
