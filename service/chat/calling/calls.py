"""The calls of one step: announced in the model's order, then run.

Reads that follow each other run at the same time. A write runs alone and in its place, so that a
read behind it sees what it has done. Source: docs/contract.md, section 5.21.
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
from service.observing.measures import tool_calls
from service.providers.events import FinishedCall

MOST = 20  # calls of a step that are run
AT_ONCE = 5  # reads
RAW_LIMIT = 2_000  # characters shown of an input that is not JSON
UNKNOWN = "unknown"  # in metrics, for the names that a model has made up
TOO_MANY = "too many calls in one step"
FAULT_TEXTS = {
    "cut": "The call broke off before its input was whole.",
    "refused": "The model host refused this call: its input does not fit the tool's schema.",
}


@dataclass(frozen=True)
class NamedCall:
    """A finished call of the model, under the id and the name that clients know."""

    id: str
    name: str
    call: FinishedCall


@dataclass(frozen=True)
class ReadyCall:
    """A call that can be run. `is_read` is true if it changes nothing."""

    id: str
    tool: Tool
    given: dict[str, Any]
    is_read: bool


def run(app: Flask, context: ToolContext, calls: Iterable[NamedCall]) -> Chunks:
    """The chunks of all inputs, then those of the results as they come."""
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
        if position < MOST:
            ready.append(loaded)
        else:
            tool_calls(call.name, "refused").inc()
            yield chunks.ToolOutputError(call.id, TOO_MANY)
    for group in _groups(ready):
        yield from merge([_result(app, context, call) for call in group], AT_ONCE)


def _load(tools: Tools, call: NamedCall) -> ReadyCall:
    """Raises `InvalidInput`."""
    if call.call.fault:
        raise InvalidInput(FAULT_TEXTS[call.call.fault])
    tool = tools.get(call.name)
    if tool is None:
        near = ", ".join(tools.nearest(call.name))
        told = f" The nearest names: {near}." if near else ""
        raise InvalidInput(f"There is no tool of this name.{told}")
    given = parse_input(tool, call.call.arguments)
    return ReadyCall(call.id, tool, given, tool.is_read(given))


def _groups(calls: Iterable[ReadyCall]) -> Iterator[list[ReadyCall]]:
    """Reads that follow each other together, and each write alone."""
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
    """A call's input as clients see it: its value, or the beginning of its text if not JSON."""
    try:
        return read_arguments(arguments)
    except InvalidInput:
        return arguments if len(arguments) <= RAW_LIMIT else arguments[:RAW_LIMIT] + "…"
