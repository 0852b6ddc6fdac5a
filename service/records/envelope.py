"""The record envelope: `{recordId, data, createdAt, updatedAt}`, the same from every door."""

from datetime import UTC, datetime
from typing import Any

from service.records.collection import Collection


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and `Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


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
