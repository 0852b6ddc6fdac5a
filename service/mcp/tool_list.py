"""The tools that clients see: their names, descriptions, schemas and hints.

Source: https://modelcontextprotocol.io/specification/2026-07-28/server/tools.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from service.assistant.calls import EndpointTool
from service.billing.units import count_credits
from service.chat.tools.tool import Tool
from service.integrations.declare.endpoint import Endpoint
from service.web.json_values import decode, encode

# Models accept 64 characters, and hosts add prefixes of their own.
NAME_LIMIT = 45
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True)
class ToolEffects:
    """The effects of a call, as a text and as hints. No client must follow hints.

    `about` replaces the tool's description, if that describes the console.
    """

    title: str
    text: str
    reads: bool = False
    destroys: bool = False
    repeats: bool = False  # a second call with the same arguments has no further effect
    outside: bool = False  # it reaches other services
    about: str | None = None

    @property
    def annotations(self) -> dict[str, Any]:
        """All hints, because a missing one has the worst case as its default."""
        return {
            "title": self.title,
            "readOnlyHint": self.reads,
            "destructiveHint": self.destroys,
            "idempotentHint": self.repeats,
            "openWorldHint": self.outside,
        }


def _read(title: str) -> ToolEffects:
    return ToolEffects(title, "Changes nothing and costs nothing.", reads=True, repeats=True)


RECORD_TOOLS: Mapping[str, ToolEffects] = {
    "schema.list": _read("List collections"),
    "schema.describe": _read("Describe a collection"),
    "user.current": _read("Look up the user"),
    "records.query": _read("List records"),
    "records.get": _read("Fetch a record"),
    "records.create": ToolEffects("Create a record", "Adds one record. Costs nothing."),
    "records.update": ToolEffects(
        "Change a record", "Overwrites values. Costs nothing.", destroys=True, repeats=True
    ),
    "records.delete": ToolEffects(
        "Delete a record",
        "The user can undo it in the app, except for a chat. Costs nothing.",
        destroys=True,
        repeats=True,
    ),
}
CATALOG_TOOLS: Mapping[str, ToolEffects] = {
    "integrations.find": _read("Find endpoints"),
    "integrations.job": _read("Look at a slow call"),
    "integrations.call": ToolEffects(
        "Call an endpoint",
        "What it does and costs depends on the endpoint: it may send a mail or delete a file. "
        "The server does not ask the user; where asksUser is true, do so before the call.",
        destroys=True,
        outside=True,
        about="Call an endpoint that integrations_find has found.",
    ),
}


_OWN_NAME = re.compile(rf"\b({'|'.join(map(re.escape, (*RECORD_TOOLS, *CATALOG_TOOLS)))})\b")


def with_wire_names(text: str) -> str:
    """Return a text with the names by which clients know the tools, `integrations_find`."""
    return _OWN_NAME.sub(lambda name: wire_name(name[0], ()), text)


def effects_of_endpoint(endpoint: Endpoint) -> ToolEffects:
    """Return the effects of a tool for one endpoint.

    If the console asks the user before a call, the tool is not marked as read-only, even if it is:
    clients do not ask the user about read-only tools.
    """
    access = endpoint.access
    most = endpoint.max_credits
    price = f"Costs up to {count_credits(most)}" if most else "Costs 0"
    change = "Changes nothing" if access.reads else "Changes something outside"
    return ToolEffects(
        title=endpoint.summary.rstrip("."),
        text=f"{change}. {price}." + ("" if access.auto_approve else " Ask the user first."),
        reads=access.auto_approve,
        destroys=not access.reads,
        repeats=endpoint.repeatable,
        outside=True,
        about=endpoint.summary,
    )


def effects_of(tool: Tool, with_catalog: bool) -> ToolEffects | None:
    """Return the effects of a tool, or None if clients may not see it."""
    if tool.name in RECORD_TOOLS:
        return RECORD_TOOLS[tool.name]
    if isinstance(tool, EndpointTool) and tool.endpoint and with_catalog:
        return effects_of_endpoint(tool.endpoint)
    return CATALOG_TOOLS.get(tool.name) if with_catalog else None


@dataclass(frozen=True)
class Offer:
    """A tool with its name on the wire."""

    name: str
    tool: Tool
    effects: ToolEffects

    @property
    def listing(self) -> dict[str, Any]:
        """The tool in the list. Its schema is of an object, or clients drop the whole list."""
        spec = self.tool.spec
        description = f"{self.effects.about or spec.description} {self.effects.text}"
        return {
            "name": self.name,
            "title": self.effects.title,
            "description": with_wire_names(description),
            "inputSchema": decode(with_wire_names(encode(dict(spec.schema)))),
            "annotations": self.effects.annotations,
        }


class Offers:
    """The tools by their names on the wire, in a stable order. Their original names work too."""

    def __init__(self, tools: Iterable[Tool], with_catalog: bool) -> None:
        self._by_name: dict[str, Offer] = {}
        for tool in tools:
            if effects := effects_of(tool, with_catalog):
                name = wire_name(tool.name, self._by_name)
                self._by_name[name] = Offer(name, tool, effects)
        self._own = {offer.tool.name: offer for offer in self._by_name.values()}
        self.listed = [offer.listing for offer in self._by_name.values()]

    def get(self, name: str) -> Offer | None:
        return self._by_name.get(name) or self._own.get(name)


def wire_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that every model accepts: without dots and slashes, short, not yet `taken`."""
    plain = _FORBIDDEN.sub("_", name)
    if len(plain) <= NAME_LIMIT and plain not in taken:
        return plain
    digest = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()[:8]
    return f"{plain[: NAME_LIMIT - 9]}_{digest}"
