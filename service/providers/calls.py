"""Tool calls assembled from fragments, for every host of the OpenAI chat wire.

Hosts repeat, omit, reuse or send empty indexes, ids and names. A fragment with a known id belongs
to its call. A fragment with a new id opens a call, even at a used index. Without an id the index
decides, and without an index it is the last call. No call is complete before the end of the stream,
because valid JSON can be a prefix.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from service.providers.answer_limit import MOST_CHARACTERS, MOST_PARTS
from service.providers.events import (
    CallFragment,
    CallStarted,
    FinishedCall,
    FinishReason,
    ProviderError,
)
from service.providers.halves import Halves
from service.providers.names import NameTable

CUT_REASONS = ("length", "content-filter")
# Of an answer's calls: their text is parsed repeatedly to find the end of an object.
MOST_PARSED = 16 << 20  # characters


@dataclass(slots=True)
class OpenCall:
    """A call whose fragments are arriving.

    `seems_whole` is whether the arguments may be a complete object. It avoids parsing, which is
    slow: a host may repeat the name with every fragment.
    """

    key: int
    id: str = ""
    name: str = ""
    fragments: list[str] = field(default_factory=list)
    seems_whole: bool = False
    halves: Halves = field(default_factory=Halves)

    def add(self, fragment: str) -> None:
        self.fragments.append(fragment)
        if ending := fragment.rstrip():
            self.seems_whole = ending.endswith("}")

    @property
    def arguments(self) -> str:
        return "".join(self.fragments)


class CallCollector:
    def __init__(self, names: NameTable) -> None:
        self._names = names
        self._calls: list[OpenCall] = []
        self._by_id: dict[str, OpenCall] = {}
        self._by_index: dict[int, OpenCall] = {}  # the newest: an id may open a second call there
        self._size = self._parsed = 0  # characters

    def add(
        self, index: int | None, call_id: str, name: str, fragment: str
    ) -> Iterator[CallStarted | CallFragment]:
        """Add one fragment. Its events are yielded when the call's name is known.

        Raises `ProviderError` if the calls exceed an answer's limits, including calls without a
        name.
        """
        call = self._find(index, call_id, name, fragment)
        fragment = call.halves.join(fragment)
        self._size += len(fragment) + len(call_id)
        if self._size > MOST_CHARACTERS or len(self._calls) > MOST_PARTS:
            raise ProviderError("garbled")
        call.add(fragment)
        if not call.name:
            if not name:
                return
            fragment = call.arguments  # including fragments that came before the name
            call.name = self._names.from_wire(name)
            yield CallStarted(call.key, call.name)
        if fragment:
            yield CallFragment(call.key, fragment)

    def finish(self, reason: FinishReason) -> tuple[FinishedCall, ...]:
        """Return all calls in order. A cut call has a fault; a nameless one is `unknown`."""
        return tuple(
            finish_call(call.key, call.name or "unknown", call.arguments, reason)
            for call in self._calls
        )

    def _find(self, index: int | None, call_id: str, name: str, fragment: str) -> OpenCall:
        if call_id and call_id in self._by_id:
            return self._by_id[call_id]
        call = self._by_index.get(index) if index is not None else self._last()
        if not call or (call_id and call.id) or self._begins_another(call, name, fragment):
            call = self._open(index)
        if call_id:
            call.id = call_id
            self._by_id[call_id] = call
        return call

    def _open(self, index: int | None) -> OpenCall:
        call = OpenCall(len(self._calls))
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call

    def _last(self) -> OpenCall | None:
        return self._calls[-1] if self._calls else None

    def _begins_another(self, last: OpenCall, name: str, fragment: str) -> bool:
        """Return whether a fragment opens a new call, without an id or a new index."""
        if not name or not last.name:
            return False
        is_renamed = self._names.from_wire(name) != last.name  # the last call has no arguments
        return is_renamed or bool(fragment and last.seems_whole and self._is_object(last))

    def _is_object(self, call: OpenCall) -> bool:
        """Return whether a call's arguments are complete; False when too much has been parsed."""
        if self._parsed > MOST_PARSED:
            return False
        arguments = call.arguments
        self._parsed += len(arguments)
        return is_object(arguments)


def finish_call(key: int, name: str, arguments: str, reason: FinishReason) -> FinishedCall:
    json_text = arguments.strip() or "{}"
    return FinishedCall(key, name, json_text, "cut" if reason in CUT_REASONS else None)


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):  # too many levels for the parser
        return False
