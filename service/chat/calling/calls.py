"""The calls of one step: announced in the model's order, then run.

Consecutive reads run in parallel. A write runs alone and in its place, so that later reads see its
effect. Source: docs/contract.md, section 5.21.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from flask import Flask

from service.chat.calling.parallel import Chunks, merge
from service.chat.calling.tool_call import carry_out
from service.chat.stream import chunks
from service.chat.tools.run import InvalidInput, parse_input, read_arguments
from service.chat.tools.tool import APP_TOOLS, Tool, ToolContext, Tools
from service.name_suggestions import with_suggestions
from service.observing.measures import tool_calls
from service.providers.events import FinishedCall

MOST_CALLS = 20  # of a step that are run
READS_AT_ONCE = 5
RAW_LIMIT = 2_000  # characters that are shown of an input that is not JSON
UNKNOWN = "unknown"  # in metrics, for names that the model invented
UNKNOWN_TOOL = "There is no tool of this name."
TOO_MANY = "too many calls in one step"
FAULT_TEXTS = {
    "cut": "The call broke off before its input was whole.",
    "refused": "The model host refused this call: its input does not fit the tool's schema.",
}


@dataclass(frozen=True)
class NamedCall:
    """A finished call of the model, with the id and the name that clients know."""

    id: str
    name: str
    call: FinishedCall


@dataclass(frozen=True)
class ReadyCall:
    """A call that can be run. `is_read` is true if the call changes nothing."""

    id: str
    tool: Tool
    given: dict[str, Any]
    is_read: bool


def run(app: Flask, context: ToolContext, calls: Iterable[NamedCall]) -> Chunks:
    """Yield the chunks of all inputs, then the chunks of the results as they arrive."""
    tools = APP_TOOLS.of(app)
    ready: list[ReadyCall] = []
    for position, call in enumerate(calls):
        public = _public_input(call.call.arguments)
        try:
            loaded = _load(tools, call)
        except InvalidInput as error:
            tool_calls(call.name if tools.get(call.name) else UNKNOWN, "invalid").inc()
            yield chunks.ToolInputError(call.id, call.name, public, str(error))
            continue
        yield chunks.ToolInputAvailable(call.id, call.name, public)
        if position < MOST_CALLS:
            ready.append(loaded)
        else:
            tool_calls(call.name, "refused").inc()
            yield chunks.ToolOutputError(call.id, TOO_MANY)
    for group in _groups(ready):
        yield from merge([_result(app, context, call) for call in group], READS_AT_ONCE)


def _load(tools: Tools, call: NamedCall) -> ReadyCall:
    """Return the call with its parsed input. Raises `InvalidInput`."""
    if call.call.fault:
        raise InvalidInput(FAULT_TEXTS[call.call.fault])
    tool = tools.get(call.name)
    if tool is None:
        raise InvalidInput(with_suggestions(UNKNOWN_TOOL, tools.nearest(call.name)))
    given = parse_input(tool, call.call.arguments)
    return ReadyCall(call.id, tool, given, tool.is_read(given))


def _groups(calls: Iterable[ReadyCall]) -> Iterator[list[ReadyCall]]:
    """Group consecutive reads; each write is a group of its own."""
    for are_reads, group in groupby(calls, key=attrgetter("is_read")):
        if are_reads:
            yield list(group)
        else:
            yield from ([call] for call in group)


def _result(app: Flask, context: ToolContext, call: ReadyCall) -> Chunks:
    context = replace(context, call_id=call.id)
    outcome = yield from carry_out(app, call.tool, context, call.given)
    if outcome.error is not None:
        yield chunks.ToolOutputError(call.id, outcome.error)
    else:
        yield chunks.ToolOutputAvailable(call.id, outcome.output)


def _public_input(arguments: str) -> Any:
    """Return a call's input as clients see it.

    It is the JSON value, or the beginning of the text if this is not JSON.
    """
    try:
        return read_arguments(arguments)
    except InvalidInput:
        return arguments if len(arguments) <= RAW_LIMIT else arguments[:RAW_LIMIT] + "…"
