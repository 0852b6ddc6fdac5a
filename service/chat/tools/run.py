"""Run one tool call: validate its input, then call its function within a time limit."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import structlog
from flask import Flask
from gevent import Timeout
from marshmallow import ValidationError
from sqlalchemy.exc import DBAPIError

from service.billing.units import count_credits
from service.chat import earlier_writes
from service.chat.tools.requirements import NOTHING, TOOL_SECONDS, GrantMissing, Needs
from service.chat.tools.result_size import limit_size
from service.chat.tools.tool import Tool, ToolContext
from service.database.access import is_outage
from service.database.time_limits import time_limit
from service.error_frames import drop_frames
from service.name_suggestions import with_suggestions
from service.observing import spans
from service.observing.measures import tool_calls
from service.web.errors import (
    InsufficientCredits,
    InvalidRequest,
    ServiceError,
    UnknownEndpoint,
)
from service.web.json_depth import is_too_deep
from service.web.json_values import decode, encode, harmless, has_unsafe_keys

TOO_LONG = "The tool took longer than {seconds:g} seconds."
FAILED = "The tool failed."
UNSURE = (
    "Nobody knows whether it has changed anything: look, or ask the user, before you try it again."
)

T = TypeVar("T")

log = structlog.get_logger("tool")


class RefusedKey(ValueError):
    """A value has a key that makes the clients' parser refuse the value."""


class InvalidInput(Exception):
    """The input does not fit the tool's schema; the text tells the model why."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call: `output`, a JSON value, or `error`, a text for people and models."""

    output: Any = None
    error: str | None = None


def parse_input(tool: Tool, arguments: str) -> dict[str, Any]:
    """Parse a call's raw JSON into the tool's input. Raises `InvalidInput`."""
    try:
        loaded: dict[str, Any] = tool.schema.load(read_arguments(arguments))
    except ValidationError as error:
        drop_frames(error)
        reasons = json.dumps(error.normalized_messages(), ensure_ascii=False)
        raise InvalidInput(f"The input does not fit the tool's schema: {reasons}") from None
    return loaded


def read_arguments(arguments: str) -> Any:
    """Parse a call's raw JSON into a value that can be streamed and stored.

    Raises `InvalidInput`.
    """
    try:
        value = decode(arguments)
        dump(value)
    except ValueError:
        raise InvalidInput("The input is not valid JSON, or nested too deep.") from None
    return value


def dump(value: Any) -> str:
    """Return JSON text that can be encoded as UTF-8 and that every client parses.

    Raises TypeError, ValueError or RecursionError for any other value.
    """
    text = encode(value)
    text.encode()
    if ('"__proto__"' in text or '"constructor"' in text) and has_unsafe_keys(value):
        raise RefusedKey("a key that JSON parsers of browsers refuse")
    if is_too_deep(value, text):
        raise ValueError("nested too deep")
    return text


def _streamable(output: Any) -> Any:
    """Return a tool's result without keys that clients refuse.

    A vendor may have put such keys into a paid answer. Raises as `dump` does.
    """
    try:
        dump(output)
    except RefusedKey:
        output = harmless(output)
        dump(output)
    return output


def needs_of(
    app: Flask, tool: Tool, context: ToolContext, tool_input: dict[str, Any]
) -> Needs | Outcome:
    """Return what a call needs from the user, or an outcome that says why it can't be made."""
    if tool.needs is None:
        return NOTHING
    needs = partial(tool.needs, context, **tool_input)
    return run_limited(app, tool, TOOL_SECONDS, needs)


def execute(
    app: Flask,
    tool: Tool,
    context: ToolContext,
    tool_input: dict[str, Any],
    seconds: float = TOOL_SECONDS,
) -> Outcome:
    """Run a tool. Raises `GrantMissing`."""

    def run() -> Outcome:
        return Outcome(_streamable(limit_size(_result(tool, context, tool_input))))

    with spans.start(f"execute_tool {tool.name}") as span:
        span.set(gen_ai__operation__name="execute_tool", gen_ai__tool__name=tool.name)
        span.set(gen_ai__tool__type="function", gen_ai__tool__call__id=context.call_id or None)
        span.content(gen_ai__tool__call__arguments=lambda: tool_input)
        unsure = "" if tool.is_read(tool_input) else f" {UNSURE}"
        outcome = run_limited(app, tool, seconds, run, unsure)
        if outcome.error is not None:
            span.fail("failed")
        span.content(gen_ai__tool__call__result=lambda: outcome.error or outcome.output)
    tool_calls(tool.name, "done" if outcome.error is None else "failed").inc()
    return outcome


def run_limited(
    app: Flask, tool: Tool, seconds: float, function: Callable[[], T], unsure: str = ""
) -> T | Outcome:
    """Run a function for a tool in its own app context, which returns its database connection.

    The time limit applies to its queries too: otherwise the database would continue them. `unsure`
    is added to the text of a failure that may have come after the work.
    """
    began, limit = time.monotonic(), Timeout(seconds)
    try:
        with limit, time_limit(seconds), app.app_context():
            return function()
    except Timeout as expired:
        if expired is limit:
            return failure(TOO_LONG.format(seconds=seconds) + unsure)
        log.exception("tool failed", tool=tool.name)  # at a time limit of its own
        return failure(FAILED + unsure)
    except GrantMissing:
        raise
    except ServiceError as error:
        drop_frames(error)
        return failure(explain(error))
    except DBAPIError as error:
        log.exception("tool failed", tool=tool.name)
        late = time.monotonic() - began >= seconds
        text = TOO_LONG.format(seconds=seconds) if late else FAILED
        return failure(text + unsure if late or is_outage(error) else text)
    except Exception:  # an extension's tool may raise anything, and the turn continues
        log.exception("tool failed", tool=tool.name)
        return failure(FAILED + unsure)


def _result(tool: Tool, context: ToolContext, tool_input: dict[str, Any]) -> Any:
    """Return the tool's result. A later try recognises a call that may write by its fingerprint."""
    context = replace(context, tool=tool.name)
    if not tool.is_read(tool_input):
        context = replace(context, fingerprint=earlier_writes.fingerprint_of(tool.name, tool_input))
    return tool.execute(context, **tool_input)


def failure(text: str) -> Outcome:
    return Outcome(error=text)


def explain(error: ServiceError) -> str:
    if isinstance(error, InvalidRequest) and error.details:
        return f"{error.message} {json.dumps(error.details, ensure_ascii=False)}"
    if isinstance(error, InsufficientCredits):
        return _with_amounts(error)
    if isinstance(error, UnknownEndpoint):
        return with_suggestions(error.message, error.nearest)
    return error.message


def _with_amounts(error: InsufficientCredits) -> str:
    """Return the message with the amounts, which a model does not see otherwise.

    The message about a budget has them.
    """
    facts: dict[str, Any] = error.facts
    available = facts.get("available")
    if available is None or "resetsAt" in facts:
        return error.message
    needed, verb = count_credits(facts["needed"]), "is" if available == 1 else "are"
    return f"{error.message} It may need {needed}, and {available:g} {verb} available."
