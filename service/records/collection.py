"""Declarations of collections: name, typed columns, owner and permissions.

Source: docs/contract.md, "Resources and their fields" and section 7.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from sqlalchemy.orm import Session

from service.app_keys import AppKey
from service.auth.permits import Scope
from service.records.models import Record
from service.web.errors import NotFound

ColumnType = Literal["string", "number", "integer", "boolean", "datetime", "array", "object"]
Action = Literal["read", "create", "update", "delete"]
Rule = bool | Literal["own"]

APP_COLLECTIONS = AppKey["Collections"]("collections")
EVERY_ROLE = "*"
TEXT_LIMIT = 100_000  # characters, unless a column declares another limit

Permissions = Mapping[str, Mapping[Action, Rule]]
Values = dict[str, Any]  # by a column's name


@dataclass(frozen=True)
class Column:
    """A typed column of a collection.

    `name` is the name that clients see, and `attribute` that of the model if the collection has
    its own table. It may be a property of the model, or a hybrid property if the type can be
    compared. Only the server writes a `fixed` column. Only `roles` may read the column; if None,
    everybody who may read the record. A string has `least` to `most` characters. `check` is called
    with each value to write, of the right type, and returns its faults as sentences.
    """

    name: str
    type: ColumnType = "string"
    attribute: str | None = None
    required: bool = False
    fixed: bool = False
    roles: tuple[str, ...] | None = None
    least: int = 0
    most: int = TEXT_LIMIT
    check: Callable[[Any], list[str]] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.roles, list | set):  # filters with a column are keys of dictionaries
            object.__setattr__(self, "roles", tuple(sorted(self.roles, key=repr)))


@dataclass(frozen=True)
class Collection:
    """A declared collection.

    `permissions` maps a role, or `*` for every other role, to a rule for each action; everything
    else is denied. `owner` is the name of the column with the subject that owns a record, or
    `recordId`. A collection without its own `model` is stored in a shared table. Records with the
    same value of `group`, an attribute of the model, are changed one at a time.
    `on_update(session, row, changes)` and `on_delete(session, row)` run in the transaction of a
    write, before the write; `before_delete(record_id)` runs before that transaction. With
    `erases_text`, deleting a record also removes its text from the outbox. Of limited tokens, only
    those with a scope in `open_to` may read the collection.
    """

    name: str
    columns: tuple[Column, ...]
    permissions: Permissions
    owner: str = "userId"
    model: Any = Record
    record_id: str = "record_id"
    group: str | None = None
    on_update: Callable[[Session, Any, Values], None] | None = None
    before_delete: Callable[[str], None] | None = None
    on_delete: Callable[[Session, Any], None] | None = None
    erases_text: bool = False
    open_to: tuple[Scope, ...] = ()

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    def attribute_of(self, column: Column) -> str | None:
        """Return the model's attribute, or None for a key in the shared table."""
        if column.attribute:
            return column.attribute
        return self.owner_attribute if column.name == self.owner else None

    @cached_property
    def attributes(self) -> tuple[tuple[str, str | None], ...]:
        """The names of the columns with their attributes."""
        return tuple((column.name, self.attribute_of(column)) for column in self.columns)

    @property
    def owner_attribute(self) -> str:
        """The model's attribute with the owner's subject."""
        if self.owner == "recordId":
            return self.record_id
        column = self.column(self.owner)
        return column.attribute if column and column.attribute else "owner"


class Collections:
    """The collections of an app by name."""

    def __init__(self, declarations: Iterable[Collection]) -> None:
        """Raise ValueError if two collections have the same name."""
        self._by_name: dict[str, Collection] = {}
        for collection in declarations:
            if collection.name in self._by_name:
                raise ValueError(f"collection {collection.name!r} is declared twice")
            self._by_name[collection.name] = collection

    def __iter__(self) -> Iterator[Collection]:
        return iter(self._by_name.values())

    def find(self, name: str) -> Collection | None:
        """Return the collection of that name, or None."""
        return self._by_name.get(name)

    def get(self, name: str) -> Collection:
        """Return the collection of that name. Raises `NotFound`."""
        if name not in self._by_name:
            raise NotFound(f"There is no collection of that name: {name[:100]}")
        return self._by_name[name]
