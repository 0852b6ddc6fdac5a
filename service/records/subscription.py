"""A subscription: which changes concern it, and what it is told of them."""

import json
from dataclasses import dataclass

from service.records.changes import Change
from service.records.collection import Collection, Rule
from service.records.cursor import Cursor
from service.records.match import matches
from service.records.outbox import Change as Action
from service.records.where import Where

Id = str | int  # the client's own word for it


@dataclass
class Subscription:
    """While `behind`, changes from its cursor to the connection's place in the feed are to be
    sent yet."""

    id: Id
    collection: Collection
    role: str
    rule: Rule
    where: Where
    cursor: Cursor | None = None  # None only until it is registered
    behind: bool = True

    def concerns(self, change: Change, subject: str) -> bool:
        """Whether the subscriber may know of a change at all, and does not know it yet."""
        assert self.cursor
        return (
            change.collection == self.collection.name
            and (self.rule is True or change.owner == subject)
            and self.cursor.is_new(change.position)
        )

    def __post_init__(self) -> None:
        self._begins = f'{{"type":"change","id":{json.dumps(self.id)},'.encode()

    def message(self, change: Change) -> bytes | None:
        """What to say of a change that concerns us; None when it lies outside of the filter."""
        assert self.cursor
        self.cursor = self.cursor.passed(change.position)
        action = self._action(change)
        if action is None:
            return None
        return self._begins + change.told(action, self.collection, self.role, self.cursor)

    def _action(self, change: Change) -> Action | None:
        """The change as it looks to who sees only what passes the filter."""
        if change.action == "removed" and change.before is None:
            return "removed"  # its text is forgotten: better to say it once too often
        was = change.before is not None and matches(self.where, change.before)
        is_ = change.after is not None and matches(self.where, change.after)
        match was, is_:
            case True, True:
                return "updated"
            case True, False:
                return "removed"
            case False, True:
                return "added"
        return None
