"""Subscriptions that receive the same messages, so that a worker makes each message only once.

A message is sent to all of them straight from the feed, without waking a greenlet for each socket.
Where that is impossible, a session falls behind: its own greenlet reads the changes from the feed.
"""

import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from service.auth.users import rights_cache
from service.fairness import WorkBudget
from service.records.changes import Change
from service.records.cursor import Position
from service.records.outlet import Outlet
from service.records.subscription import Subscription
from service.websockets.frames import frame

FRAMES_LIMIT = 65_536  # bytes that may be sent at once
SOCKETS_AT_ONCE = 50  # about half a millisecond

Extent = tuple[str, str | None]  # a collection, and an owner or None for all owners


class Member(Protocol):
    """A session. Its subscriptions are in audiences while it is at the feed's tail."""

    subject: str
    memberships: "list[tuple[Audience, bytes]]"  # with the beginning of the messages

    def deliver(self, frames: bytes, tail: Position, moment: float) -> Outlet | None:
        """Send frames with all changes up to `tail` that concern the session, unless it has them.

        `moment` is the Unix time. Must not wait. Returns the outlet to use the next time, if any.
        """

    def fall_behind(self) -> None:
        """Have the session read the changes after its place from the feed."""


Group = dict[Member, Outlet | None]  # None: nothing sent yet, or only `deliver` may send


class Audience:
    """The subscriptions with the same collection, filter and rights."""

    def __init__(self, key: Hashable, extent: Extent, like: Subscription) -> None:
        self.key = key
        self.extent = extent
        # By the beginning of their messages, which has the client's id for the subscription.
        self.groups: dict[bytes, Group] = {}
        self._like = replace(like)

    def texts(self, changes: Iterable[Change]) -> list[bytes]:
        """Return the messages about changes in the extent, without their beginning."""
        texts = [self._like.text(change) for change in changes]
        return [text for text in texts if text is not None]


class Audiences:
    """All audiences in a worker."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, Audience] = {}
        self._by_extent: dict[Extent, list[Audience]] = {}
        self._budget = WorkBudget(2 * SOCKETS_AT_ONCE)  # sockets

    def join(self, member: Member, subscriptions: Iterable[Subscription]) -> None:
        """Add the subscriptions of a session that has received all changes up to the tail."""
        for subscription in subscriptions:
            audience = self._audience(member, subscription)
            audience.groups.setdefault(subscription.head, {})[member] = None
            member.memberships.append((audience, subscription.head))

    def leave(self, member: Member) -> None:
        for audience, head in member.memberships:
            if outlet := audience.groups[head].pop(member):
                outlet.revoke()
            if not audience.groups[head]:
                del audience.groups[head]
            if not audience.groups:
                self._remove(audience)
        member.memberships.clear()

    def deliver(self, new: Sequence[Change], tail: Position) -> None:
        """Deliver new changes to all members. Lets other greenlets run in between."""
        concerned: dict[Audience, list[Change]] = {}
        for change in new:
            for owner in (None, change.owner):
                for audience in self._by_extent.get((change.collection, owner), ()):
                    concerned.setdefault(audience, []).append(change)
        for audience, changes in concerned.items():
            if texts := audience.texts(changes):
                for head, group in list(audience.groups.items()):
                    frames = b"".join([frame(head + text) for text in texts])
                    self._send(frames, group, tail, concerned)

    def _send(
        self, frames: bytes, group: Group, tail: Position, concerned: dict[Audience, Any]
    ) -> None:
        members, outlets = list(group), list(group.values())
        for start in range(0, len(members), SOCKETS_AT_ONCE):
            part, moment = slice(start, start + SOCKETS_AT_ONCE), time.time()
            for member in _send_through(outlets[part], members[part], frames, tail, moment):
                if member not in group:  # it has left meanwhile
                    continue
                if len(frames) > FRAMES_LIMIT or _is_in_several(member, concerned):
                    member.fall_behind()
                    continue
                outlet = member.deliver(frames, tail, moment)
                if len(member.memberships) == 1:
                    group[member] = outlet
            self._budget.spend(len(members[part]))

    def _audience(self, member: Member, subscription: Subscription) -> Audience:
        owner = None if subscription.rule is True else member.subject
        extent = (subscription.collection.name, owner)
        key = (extent, subscription.role, subscription.where)
        if key not in self._by_key:
            self._by_key[key] = Audience(key, extent, subscription)
            self._by_extent.setdefault(extent, []).append(self._by_key[key])
        return self._by_key[key]

    def _remove(self, audience: Audience) -> None:
        del self._by_key[audience.key]
        audiences = self._by_extent[audience.extent]
        audiences.remove(audience)
        if not audiences:
            del self._by_extent[audience.extent]


def _send_through(
    outlets: list[Outlet | None], members: list[Member], frames: bytes, tail: Position, now: float
) -> list[Member]:
    """Send to the members whose outlets are open. Return the others, or all for long frames."""
    version, size, others = rights_cache.version, len(frames), []
    if size > FRAMES_LIMIT:
        return members
    for member, outlet in zip(members, outlets, strict=True):
        if not outlet or outlet.version != version or outlet.place >= tail or outlet.expires <= now:
            others.append(member)
            continue
        try:
            sent = outlet.send(frames)
        except OSError:  # the member's own `deliver` gets the error again, and handles it
            others.append(member)
            continue
        outlet.place = tail
        if sent < size:
            outlet.keep(frames[sent:])
            member.fall_behind()
    return others


def _is_in_several(member: Member, concerned: dict[Audience, Any]) -> bool:
    """Return whether changes concern several of its subscriptions: the messages need sorting."""
    if len(member.memberships) == 1:
        return False
    return sum(audience in concerned for audience, _ in member.memberships) > 1
