"""The record envelope: `{recordId, data, createdAt, updatedAt}`, the same from every door."""

from datetime import datetime
from typing import Any

from service.extensions import timestamp
from service.records.collection import Collection


def envelope(collection: Collection, row: Any) -> dict[str, Any]:
    """A stored row as clients see it; a column without a value is left out."""
    values = {column.name: getattr(row, column.attribute) for column in collection.columns}
    return {
        "recordId": getattr(row, collection.record_id),
        "data": {name: _plain(value) for name, value in values.items() if value is not None},
        "createdAt": timestamp(row.created_at),
        "updatedAt": timestamp(row.updated_at),
    }


def _plain(value: Any) -> Any:
    return timestamp(value) if isinstance(value, datetime) else value
