"""The one permission check, asked at every call, whatever door it comes through."""

from service.records.collection import EVERY_ROLE, Action, Collection, Column, Rule

ACTIONS: tuple[Action, ...] = ("read", "create", "update", "delete")


def rule(collection: Collection, role: str, action: Action) -> Rule:
    """What a role may do: True for every record, "own" for its own, False for none."""
    declared = collection.permissions.get(role, collection.permissions.get(EVERY_ROLE, {}))
    return declared.get(action, False)


def rules(collection: Collection, role: str) -> dict[Action, Rule]:
    return {action: rule(collection, role, action) for action in ACTIONS}


def readable(column: Column, role: str) -> bool:
    """Whether a role that may read a record sees this column of it."""
    return column.roles is None or role in column.roles


def visible(collection: Collection, role: str) -> tuple[Column, ...]:
    """The columns that a role sees."""
    return tuple(column for column in collection.columns if readable(column, role))
