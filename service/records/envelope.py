"""The record envelope: `{recordId, data, createdAt, updatedAt}`, the same from every door."""

from typing import Any

from service.extensions import timestamp
from service.records.collection import Collection
from service.records.permissions import visible
from service.records.storage import values_of

Envelope = dict[str, Any]


def full_envelope(collection: Collection, row: Any) -> Envelope:
    """A stored row with all its columns, readable or not: for the outbox."""
    return {
        "recordId": getattr(row, collection.record_id),
        "data": values_of(collection, row),
        "createdAt": timestamp(row.created_at),
        "updatedAt": timestamp(row.updated_at),
    }


def envelope(collection: Collection, row: Any, role: str) -> Envelope:
    """A stored row as a role sees it; a column without a value is left out."""
    return seen_by(collection, full_envelope(collection, row), role)


def seen_by(collection: Collection, full: Envelope, role: str) -> Envelope:
    """A full envelope with only the columns that a role may read."""
    data = full["data"]
    shown = {c.name: data[c.name] for c in visible(collection, role) if c.name in data}
    return {**full, "data": shown}
