"""Whether a user may revert a change now."""

from service.auth.users import Caller
from service.chat.undo.changes import NetChange, data
from service.records import permissions
from service.records.collection import Action, Collection


def may_take_back(change: NetChange, caller: Caller, role: str) -> bool:
    """Return whether the caller has the rights to revert the change.

    To revert a creation they need the right to delete. To revert a deletion they need the right to
    create, or to delete where only the server creates. To revert an update they need the right to
    update, and their role must be able to read each changed column.
    """
    if not change.before and not change.after:
        return True  # there is nothing to do
    if change.before and change.after:
        return _may(change, caller, role, "update") and _reads_changed(change, role)
    if change.after or not _is_created_by_clients(change.collection):
        return _may(change, caller, role, "delete")
    return _may(change, caller, role, "create")


def _may(change: NetChange, caller: Caller, role: str, action: Action) -> bool:
    rule = permissions.rule(change.collection, role, action)
    return rule is True or (rule == "own" and change.owner == caller.subject)


def _is_created_by_clients(collection: Collection) -> bool:
    return any(rules.get("create") for rules in collection.permissions.values())


def _reads_changed(change: NetChange, role: str) -> bool:
    name = change.collection.name
    before, after = data(name, change.before), data(name, change.after)
    changed = [c for c in change.collection.columns if before.get(c.name) != after.get(c.name)]
    return all(permissions.is_readable(column, role) for column in changed)
