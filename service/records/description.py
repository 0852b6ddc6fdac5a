"""Descriptions of the declared collections, as far as a caller may know them.

`schema.list`, `schema.describe` and `GET /api/records` answer with them.
Source: docs/contract.md, sections 7.15 and 8.2.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from service.auth.permits import Permit
from service.records.collection import Collection
from service.records.permissions import readable, rules, visible_columns


def list_readable(
    collections: Iterable[Collection], role: str, permit: Permit | None = None
) -> Iterator[Collection]:
    """Yield the collections that a role may read and that are open to the token's scope."""
    for collection in readable(collections, role):
        if permit is None or permit.scope in collection.open_to:
            yield collection


def describe(collection: Collection, role: str) -> dict[str, Any]:
    """Return `{name, columns, permissions}` as far as a role may know them.

    A column is `{name, type, required, readOnly}`. A permission is true, false, or "own" for the
    caller's own records only.
    """
    columns = [
        {
            "name": column.name,
            "type": column.type,
            "required": column.required,
            "readOnly": column.fixed or column.name == collection.owner,
        }
        for column in visible_columns(collection, role)
    ]
    return {"name": collection.name, "columns": columns, "permissions": rules(collection, role)}
