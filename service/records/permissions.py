"""The permission check of all calls: HTTP, tools and sockets."""

from collections.abc import Iterable, Iterator

from service.records.collection import EVERY_ROLE, Action, Collection, Column, Rule
from service.web.errors import Forbidden

ACTIONS: tuple[Action, ...] = ("read", "create", "update", "delete")


def rule(collection: Collection, role: str, action: Action) -> Rule:
    """Return whether a role may act on every record (True), the user's own ("own") or none."""
    permissions = collection.permissions.get(role, collection.permissions.get(EVERY_ROLE, {}))
    return permissions.get(action, False)


def check_create(collection: Collection, role: str) -> None:
    """Raise `Forbidden` if a role may not create records."""
    if not rule(collection, role, "create"):
        raise Forbidden()


def rules(collection: Collection, role: str) -> dict[Action, Rule]:
    """Return the rule of a role for each action."""
    return {action: rule(collection, role, action) for action in ACTIONS}


def readable(collections: Iterable[Collection], role: str) -> Iterator[Collection]:
    """Return the collections of which a role may read records."""
    return (collection for collection in collections if rule(collection, role, "read"))


def named_roles(collections: Iterable[Collection]) -> set[str]:
    """Return the roles that collections name, for their records or for single columns."""
    named: set[str] = set()
    for collection in collections:
        named.update(collection.permissions)
        named.update(role for column in collection.columns for role in column.roles or ())
    return named - {EVERY_ROLE}


def is_readable(column: Column, role: str) -> bool:
    """Return whether a role that may read a record may read this column of it."""
    return column.roles is None or role in column.roles


def visible_columns(collection: Collection, role: str) -> tuple[Column, ...]:
    """Return the columns that a role may read."""
    return tuple(column for column in collection.columns if is_readable(column, role))
