"""The records for tools: read with the caller's rights; each write adds a row to the journal.

Source: docs/contract.md, sections 5.13 and 5.16.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import structlog

from service.auth.users import Caller
from service.chat import earlier_writes
from service.chat.claim_lock import ClaimLost
from service.chat.earlier_writes import EarlierWrites, Entry
from service.records import creation, store, writes
from service.records.collection import Collection, Collections
from service.records.envelope import Envelope
from service.records.outbox import ChangeAction
from service.records.store import Query
from service.records.values import check_type
from service.records.writes import Hook
from service.times import timestamp
from service.web.errors import InvalidRequest
from service.web.json_values import decode, encode

Named = Collection | str  # a collection, or its name
T = TypeVar("T")

log = structlog.get_logger("tool")


@dataclass(frozen=True)
class ToolRecords:
    """The records as one tool call reads and writes them.

    `hook` locks the turn's claim and writes the journal's row, in the transaction of each write. If
    there is no claim, nothing is written. Then `check_turn` ends the turn if another one has
    overtaken it. Otherwise it claims the message again, and the write is made once more.

    A write of an earlier try of the message is not repeated. If an earlier call with the same
    `fingerprint` has made it, its result is returned, once for each earlier write. A record with
    other values is another write: a tool may check what is left to do, and continue after its
    earlier writes.
    """

    caller: Caller
    collections: Collections
    earlier: EarlierWrites
    fingerprint: str | None
    hook: Hook
    check_turn: Callable[[], None]

    def find(self, collection: Named, **query: Any) -> dict[str, Any]:
        """Return `{records, nextCursor}` for the fields of a `Query`.

        The fields are `where`, `sort`, `limit` and `cursor`. Raises `NotFound`, `Forbidden`,
        `InvalidRequest`.
        """
        return store.find(self._find_collection(collection), self.caller, Query(**query))

    def get(self, collection: Named, record_id: str) -> Envelope:
        """Return one record. Raises `NotFound`, `Forbidden`."""
        return store.get(self._find_collection(collection), self.caller, record_id)

    def create(self, collection: Named, data: dict[str, Any]) -> Envelope:
        """Create a record that belongs to the caller.

        Raises `NotFound`, `Forbidden`, `InvalidRequest`.
        """
        named = self._find_collection(collection)
        if done := self._done(named, "added", lambda entry: _has(named, entry, data)):
            return done
        return self._write(lambda: creation.create(named, self.caller, data, self.hook))

    def update(self, collection: Named, record_id: str, data: dict[str, Any]) -> Envelope:
        """Change the columns in `data`. Raises `NotFound`, `Forbidden`, `InvalidRequest`."""
        named = self._find_collection(collection)
        if done := self._done(named, "updated", lambda entry: entry.record_id == record_id):
            return done
        return self._write(
            lambda: writes.update(named, self.caller, record_id, data, hook=self.hook)
        )

    def delete(self, collection: Named, record_id: str) -> None:
        """Delete a record. Raises `NotFound`, `Forbidden`."""
        named = self._find_collection(collection)
        if not self._done(named, "removed", lambda entry: entry.record_id == record_id):
            self._write(lambda: writes.delete(named, self.caller, record_id, hook=self.hook))

    def _find_collection(self, collection: Named) -> Collection:
        return self.collections.get(collection) if isinstance(collection, str) else collection

    def _write(self, write: Callable[[], T]) -> T:
        try:
            return write()
        except ClaimLost:
            self.check_turn()
            return write()

    def _done(
        self, collection: Collection, action: ChangeAction, is_same: Callable[[Entry], bool]
    ) -> dict[str, Any] | None:
        """Return the result of this write in an earlier try, or None. Raises `ServiceError`."""
        entry = self.earlier.take(self.fingerprint, collection.name, action, is_same)
        if entry is None:
            return None
        log.info("earlier write found", tool=entry.tool, record_id=entry.record_id)
        return earlier_writes.result(entry, self.caller, self.collections)


def _has(collection: Collection, entry: Entry, data: Any) -> bool:
    """Return whether the record of an entry was created with these values."""
    try:
        given = {name: _as_stored(collection, name, value) for name, value in data.items()}
    except (InvalidRequest, AttributeError):
        return False  # no such record can be created
    return all(entry.after["data"].get(name) == value for name, value in given.items())


def _as_stored(collection: Collection, name: str, value: Any) -> Any:
    """Return a value in the form in which a record has it.

    A time may be written differently, and a tuple becomes a list.
    """
    column = collection.column(name)
    if column is None or value is None:
        return value
    value = check_type(column, value)
    return timestamp(value) if isinstance(value, datetime) else decode(encode(value))
