"""The envelope of a record: `{recordId, data, createdAt, updatedAt}`."""

from typing import Any

from service.records.collection import Collection
from service.records.permissions import visible_columns
from service.records.storage import values_of
from service.times import timestamp

Envelope = dict[str, Any]


def full_envelope(collection: Collection, row: Any) -> Envelope:
    """Return a row with all its columns, regardless of rights. The outbox stores it."""
    return {
        "recordId": getattr(row, collection.record_id),
        "data": values_of(collection, row),
        "createdAt": timestamp(row.created_at),
        "updatedAt": timestamp(row.updated_at),
    }


def envelope(collection: Collection, row: Any, role: str) -> Envelope:
    """Return a row with the columns that a role may read and that have a value."""
    return redact(collection, full_envelope(collection, row), role)


def redact(collection: Collection, full: Envelope, role: str) -> Envelope:
    """Return a full envelope without the columns that a role may not read."""
    data = full["data"]
    visible = {c.name: data[c.name] for c in visible_columns(collection, role) if c.name in data}
    return {**full, "data": visible}
