"""A client's subscription: it selects the changes that concern it, and makes their messages."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from service.records import permissions
from service.records.changes import Change, ChangeFilter
from service.records.collection import Collection, Rule
from service.records.cursor import Cursor, Position
from service.records.match import matches
from service.records.outbox import ChangeAction
from service.records.where import Where

Id = str | int  # chosen by the client


@dataclass
class Subscription:
    """A client's subscription to a collection.

    While `behind`, changes between its cursor and the session's place in the feed have not been
    sent.
    """

    id: Id
    collection: Collection
    role: str
    rule: Rule
    where: Where
    cursor: Cursor | None = None  # None only before the subscription is registered
    behind: bool = True

    def concerns(self, change: Change, subject: str) -> bool:
        """Return whether the subscriber may see a change and has not received it."""
        assert self.cursor
        return (
            change.collection == self.collection.name
            and (self.rule is True or change.owner == subject)
            and self.cursor.is_new(change.position)
        )

    def __post_init__(self) -> None:
        self.head = f'{{"type":"change","id":{json.dumps(self.id)},'.encode()
        self.view = _view(self.collection, self.role, self.rule)

    def is_current(self, tail: Position) -> bool:
        """Return whether it has all changes up to `tail`, and none of the later ones."""
        if self.behind or not self.cursor or self.cursor.position > tail:
            return False
        return self.cursor.snapshot is None or self.cursor.snapshot.end <= tail.xid

    def message(self, change: Change) -> bytes | None:
        """Return the message about a change that concerns it, or None if it fails the filter."""
        text = self.text(change)
        return None if text is None else self.head + text

    def text(self, change: Change) -> bytes | None:
        """Return the message without `head`, its beginning, and advance the cursor."""
        assert self.cursor
        self.cursor = self.cursor.advance(change.position)
        action = self._action(change)
        if action is None:
            return None
        return change.text(action, self.collection, self.role, self.cursor)

    def sees_the_same(self, role: str) -> bool:
        """Return whether another role of the user may read the same records and columns."""
        rule = permissions.rule(self.collection, role, "read")
        return self.view == _view(self.collection, role, rule)

    def _action(self, change: Change) -> ChangeAction | None:
        """Return the action of a change on the set of records that pass the filter."""
        if change.action == "removed" and change.before is None:
            return "removed"  # its text is erased, so the filter can't be applied
        before = change.before is not None and matches(self.where, change.before)
        after = change.after is not None and matches(self.where, change.after)
        match before, after:
            case True, True:
                return "updated"
            case True, False:
                return "removed"
            case False, True:
                return "added"
        return None


def _view(collection: Collection, role: str, rule: Rule) -> str:
    """Return a hash of the rule and of the columns that a role may read."""
    columns = [column.name for column in permissions.visible_columns(collection, role)]
    return hashlib.sha256(json.dumps([rule, columns]).encode()).hexdigest()[:8]


def filter_of(subscriptions: Iterable[Subscription], subject: str) -> ChangeFilter:
    """Return a filter for all changes that concern these subscriptions of a user."""
    every = list(subscriptions)
    everybody = any(subscription.rule is True for subscription in every)
    names = tuple(sorted({subscription.collection.name for subscription in every}))
    return ChangeFilter(names, None if everybody else subject)
