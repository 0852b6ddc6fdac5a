"""Tool calls put together from fragments, for every host of the OpenAI chat wire.

Hosts repeat, omit, reuse or send empty indexes, ids and names. The rule: a known id is its call;
a new id opens a call, even at a used index; without a new id the index decides, else the last
call. Nothing counts as whole before the stream's end, because valid JSON can be a prefix.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from service.providers.events import CallFragment, CallStarted, FinishedCall, FinishReason, storable
from service.providers.names import NameTable

CUT_REASONS = ("length", "content-filter")


@dataclass(slots=True)
class OpenCall:
    key: int
    index: int | None
    id: str
    name: str = ""
    fragments: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return "".join(self.fragments)

    @property
    def seems_whole(self) -> bool:
        """Whether parsing is worth its cost: a host may repeat the name with every fragment."""
        last = next((piece for piece in reversed(self.fragments) if piece.strip()), "")
        return last.rstrip().endswith("}")


class CallCollector:
    def __init__(self, names: NameTable) -> None:
        self._names = names
        self._calls: list[OpenCall] = []

    def add(
        self, index: int | None, call_id: str, name: str, fragment: str
    ) -> Iterator[CallStarted | CallFragment]:
        """Take one fragment; events come once the call's name is known."""
        call = self._find(index, call_id, name, fragment)
        fragment = storable(fragment)
        call.fragments.append(fragment)
        if not call.name:
            if not name:
                return
            fragment = call.arguments  # including fragments that came before the name
            call.name = self._names.from_wire(name)
            yield CallStarted(call.key, call.name)
        if fragment:
            yield CallFragment(call.key, fragment)

    def finish(self, reason: FinishReason) -> tuple[FinishedCall, ...]:
        """All calls, in order; cut ones bear a fault. Nameless ones are named `unknown`."""
        return tuple(
            finished(call.key, call.name or "unknown", call.arguments, reason)
            for call in self._calls
        )

    def _find(self, index: int | None, call_id: str, name: str, fragment: str) -> OpenCall:
        by_id = next((call for call in self._calls if call_id and call.id == call_id), None)
        if by_id:
            return by_id
        known = self._by_index(index) if index is not None else self._last()
        if known and (not call_id or not known.id) and not self._repeats(known, name, fragment):
            known.id = known.id or call_id
            return known
        call = OpenCall(len(self._calls), index, call_id)
        self._calls.append(call)
        return call

    def _by_index(self, index: int) -> OpenCall | None:
        # The newest at this index: an id may have opened a second call there.
        return next((call for call in reversed(self._calls) if call.index == index), None)

    def _last(self) -> OpenCall | None:
        return self._calls[-1] if self._calls else None

    def _repeats(self, known: OpenCall, name: str, fragment: str) -> bool:
        """Another whole call where the host sends neither ids nor an index that counts."""
        if not name or not known.name:
            return False
        renamed = self._names.from_wire(name) != known.name  # a call without arguments came first
        return renamed or bool(fragment and known.seems_whole and is_object(known.arguments))


def finished(key: int, name: str, arguments: str, reason: FinishReason) -> FinishedCall:
    whole = arguments.strip() or "{}"
    return FinishedCall(key, name, whole, "cut" if reason in CUT_REASONS else None)


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
