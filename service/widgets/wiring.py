"""The rules for connections between the slots of a canvas, as in io-graph.js.

A test compares the two.
Source: docs/widgets.md.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from service.widgets.canvas_shape import MOST_CONNECTIONS
from service.widgets.template import SLOT_CONNECTIONS, Direction, Slot

Code = Literal[
    "unknown_widget", "unknown_slot", "wrong_direction", "self", "type_mismatch", "duplicate",
    "input_taken", "cycle", "too_many",
]  # fmt: skip
Refusal = tuple[Code, str]


@dataclass(frozen=True)
class Place:
    """A slot of a widget."""

    widget_id: str
    slot_id: str


@dataclass
class Wiring:
    """The slots of a canvas's widgets by their ids, and the connections made so far.

    A pair is an output and an input. `targets` maps a widget to the widgets to which it gives
    values.
    """

    slots: Mapping[str, Iterable[Slot]]
    pairs: list[tuple[Place, Place]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    targets: dict[str, set[str]] = field(default_factory=dict)

    def connect(self, source: Place, to: Place, id: str) -> Refusal | None:
        """Connect two slots, or return why that is not possible."""
        refusal = (
            self._wrong_slot(source, "output")
            or self._wrong_slot(to, "input")
            or self._wrong_pair(source, to)
        )
        if refusal:
            return refusal
        if id in self.ids:
            return "duplicate", f"There is a connection “{id}” already."
        self.pairs.append((source, to))
        self.targets.setdefault(source.widget_id, set()).add(to.widget_id)
        self.ids.add(id)
        return None

    def _slot(self, place: Place) -> Slot | None:
        slots = self.slots.get(place.widget_id, ())
        return next((slot for slot in slots if slot.id == place.slot_id), None)

    def _wrong_slot(self, place: Place, direction: Direction) -> Refusal | None:
        if place.widget_id not in self.slots:
            return "unknown_widget", f"There is no widget “{place.widget_id}”."
        slot = self._slot(place)
        if slot is None:
            return "unknown_slot", f"“{place.widget_id}” has no slot “{place.slot_id}”."
        if slot.direction != direction:
            return "wrong_direction", f"“{slot.title}” is an {slot.direction}."
        return None

    def _wrong_pair(self, source: Place, to: Place) -> Refusal | None:
        if source.widget_id == to.widget_id:
            return "self", "A widget can’t be connected to itself."
        output, input = self._slot(source), self._slot(to)
        assert output
        assert input
        mismatch = type_mismatch(output, input)
        if mismatch:
            return "type_mismatch", mismatch
        return self._wrong_count(source, to, output, input) or self._wrong_cycle(source, to)

    def _wrong_count(self, source: Place, to: Place, output: Slot, input: Slot) -> Refusal | None:
        outgoing = [pair for pair in self.pairs if pair[0] == source]
        incoming = [pair for pair in self.pairs if pair[1] == to]
        if (source, to) in outgoing:
            return "duplicate", "These two slots are connected already."
        if len(incoming) >= (input.max_connections or 1):
            return "input_taken", f"“{input.title}” takes no more connections."
        if len(outgoing) >= (output.max_connections or SLOT_CONNECTIONS):
            return "too_many", f"“{output.title}” has no room for more connections."
        if len(self.pairs) >= MOST_CONNECTIONS:
            return "too_many", f"A canvas has at most {MOST_CONNECTIONS} connections."
        return None

    def _wrong_cycle(self, source: Place, to: Place) -> Refusal | None:
        reached, todo = {to.widget_id}, [to.widget_id]
        while todo:
            here = todo.pop()
            new = self.targets.get(here, set()) - reached
            reached |= new
            todo += new
        if source.widget_id not in reached:
            return None
        return "cycle", "This connection would close a circle: values would run round for ever."


def connection_id(source: Place, to: Place) -> str:
    """Return the id of a connection stored without one: 64 bits of FNV-1a over UTF-16 units."""
    places = ([source.widget_id, source.slot_id], [to.widget_id, to.slot_id])
    text = "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in places)
    units = text.encode("utf-16-le", "surrogatepass")
    hash = 0xCBF29CE484222325
    for at in range(0, len(units), 2):
        hash = ((hash ^ int.from_bytes(units[at : at + 2], "little")) * 0x100000001B3) % 2**64
    return f"c_{hash:016x}"


def type_mismatch(output: Slot, input: Slot) -> str | None:
    """Return why an input can't take the values of an output, in words, or None."""
    if "any" not in (output.type, input.type) and output.type != input.type:
        gives, takes = output.type, input.type
        return f"“{output.title}” is of type {gives}, but “{input.title}” takes {takes}."
    missing = _missing_property(output.schema or {}, input.schema or {})
    return missing and f"“{input.title}” needs {missing}, which “{output.title}” does not give."


def _missing_property(given: Mapping[str, Any], taken: Mapping[str, Any]) -> str | None:
    """Return the first required property that is not given with its type, or None."""
    if not given.get("properties"):
        return None
    for name in taken.get("required", ()):
        offered = given["properties"].get(name)
        wanted = taken.get("properties", {}).get(name, {})
        if offered is None or offered is False:
            return f"“{name}”"
        if not _types_meet(_type_of(offered), _type_of(wanted)):
            return f"“{name}” as {' or '.join(_as_list(_type_of(wanted)))}"
    return None


def _type_of(schema: Any) -> Any:
    """Return the `type` of a schema; None without one, as of a boolean schema."""
    return schema.get("type") if isinstance(schema, Mapping) else None


def _types_meet(given: Any, taken: Any) -> bool:
    if given is None or taken is None:
        return True
    accepted = _as_list(taken)
    accepted += ["integer"] if "number" in accepted else []
    return all(kind in accepted for kind in _as_list(given))


def _as_list(types: Any) -> list[str]:
    return [types] if isinstance(types, str) else list(types)
