"""A collection is a declaration: its name, typed columns, owner and permissions.

Source: specification, "Resources and their fields"; contract section 7.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from service.errors import NotFound

ColumnType = Literal["string", "number", "integer", "boolean", "datetime", "array", "object"]
Action = Literal["read", "create", "update", "delete"]
Rule = bool | Literal["own"]

EVERY_ROLE = "*"


Permissions = Mapping[str, Mapping[Action, Rule]]


@dataclass(frozen=True)
class Column:
    """`name` is what clients see, `attribute` the model's own name for it."""

    name: str
    attribute: str
    type: ColumnType = "string"
    required: bool = False


@dataclass(frozen=True)
class Collection:
    """`permissions` maps a role, or `*` for every other role, to a rule for each action.

    `record_id` and `owner` are attributes of `model`. What is not declared is not allowed.
    """

    name: str
    model: Any
    record_id: str
    owner: str
    columns: tuple[Column, ...]
    permissions: Permissions

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)


class Collections:
    """The collections of an app, by name; a name declared twice is refused at boot."""

    def __init__(self, declared: Iterable[Collection]) -> None:
        self._by_name: dict[str, Collection] = {}
        for collection in declared:
            if collection.name in self._by_name or collection.name == "socket":
                raise ValueError(f"collection {collection.name!r} is declared twice or reserved")
            self._by_name[collection.name] = collection

    def __iter__(self) -> Iterator[Collection]:
        return iter(self._by_name.values())

    def named(self, name: str) -> Collection:
        """Raises `NotFound`."""
        if name not in self._by_name:
            raise NotFound(f"There is no collection of that name: {name[:100]}")
        return self._by_name[name]
