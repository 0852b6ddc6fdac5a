"""A collection is a declaration: its name, typed columns, owner and permissions.

Source: specification, "Resources and their fields"; contract section 7.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.orm import Session

from service.errors import NotFound
from service.records.models import Record

ColumnType = Literal["string", "number", "integer", "boolean", "datetime", "array", "object"]
Action = Literal["read", "create", "update", "delete"]
Rule = bool | Literal["own"]

EVERY_ROLE = "*"
RESERVED = ("socket",)  # a route of its own
RESERVED_COLUMNS = {"or", "data", "recordId", "createdAt", "updatedAt"}  # words of the envelope
TEXT_LIMIT = 100_000  # characters, where a column names no other

Permissions = Mapping[str, Mapping[Action, Rule]]
Values = dict[str, Any]  # by a column's name


@dataclass(frozen=True)
class Column:
    """`name` is what clients see, `attribute` the model's own name for it, if it has a table.

    A `fixed` column is the server's to write. `roles` are those who may read it, None all who may
    read the record. `least` and `most` bound the characters of a string.
    """

    name: str
    type: ColumnType = "string"
    attribute: str | None = None
    required: bool = False
    fixed: bool = False
    roles: tuple[str, ...] | None = None
    least: int = 0
    most: int = TEXT_LIMIT


@dataclass(frozen=True)
class Collection:
    """`permissions` maps a role, or `*` for every other role, to a rule for each action.

    What is not declared is not allowed. `owner` names the column, or `recordId`, with the subject
    to whom a record belongs. Without a `model` of its own a collection lives in one table with
    others like it. Within a `group`, an attribute of the model, changes are made one by one.
    `updating(session, row, changes)` and `deleting(session, row)` run inside the write's
    transaction, before it. A collection that `forgets` leaves no text in the outbox when a record
    is deleted.
    """

    name: str
    columns: tuple[Column, ...]
    permissions: Permissions
    owner: str = "userId"
    model: Any = Record
    record_id: str = "record_id"
    group: str | None = None
    updating: Callable[[Session, Any, Values], None] | None = None
    deleting: Callable[[Session, Any], None] | None = None
    forgets: bool = False

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    @property
    def owner_attribute(self) -> str:
        """The model's attribute that holds the owner."""
        if self.owner == "recordId":
            return self.record_id
        column = self.column(self.owner)
        return column.attribute if column and column.attribute else "owner"


class Collections:
    """The collections of an app, by name; a wrong declaration is refused at boot."""

    def __init__(self, declared: Iterable[Collection]) -> None:
        """Raises ValueError."""
        self._by_name: dict[str, Collection] = {}
        for collection in declared:
            if collection.name in self._by_name or collection.name in RESERVED:
                raise ValueError(f"collection {collection.name!r} is declared twice or reserved")
            if collection.owner != "recordId" and not collection.column(collection.owner):
                raise ValueError(f"collection {collection.name!r} has no column for its owner")
            if RESERVED_COLUMNS & {column.name for column in collection.columns}:
                raise ValueError(f"collection {collection.name!r} has a column of a reserved name")
            self._by_name[collection.name] = collection

    def __iter__(self) -> Iterator[Collection]:
        return iter(self._by_name.values())

    def named(self, name: str) -> Collection:
        """Raises `NotFound`."""
        if name not in self._by_name:
            raise NotFound(f"There is no collection of that name: {name[:100]}")
        return self._by_name[name]
