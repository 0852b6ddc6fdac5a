"""Counts of what is stored of a subject: what an erasure deletes, and what it keeps."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.billing.models import Account
from service.chat.collections import AI_TURNS, USERS
from service.integrations.models import Grant
from service.media.models import MediaItem
from service.records.collection import Collection
from service.records.models import Record
from service.records.storage import select_rows
from service.records.store import owned_by


@dataclass(frozen=True)
class Inventory:
    """What is stored of a subject.

    `records` counts by collection, without empty ones. `grants` are the integrations with a grant.
    `balance` is in micro-credits, None without an account. `turns` counts the metadata rows of
    turns. An erasure keeps these and the account under a pseudonym.
    """

    is_user: bool
    records: Mapping[str, int]
    media: int
    grants: tuple[str, ...]
    balance: int | None
    turns: int

    @property
    def is_known(self) -> bool:
        return self.is_user or self.balance is not None or bool(self.grants)


def take(session: Session, subject: str, collections: Iterable[Collection]) -> Inventory:
    """Count what is stored of a subject, who need not be a user."""
    declared = list(collections)
    counts = Counter({each.name: _count(session, each, subject) for each in declared})
    turns, users = counts.pop(AI_TURNS.name), counts.pop(USERS.name)
    counts += _count_undeclared(session, declared, subject)
    media = select(func.count()).where(MediaItem.user_id == subject, MediaItem.is_ready)
    grants = select(Grant.integration).where(Grant.user_id == subject).order_by(Grant.integration)
    return Inventory(
        is_user=bool(users),
        records=dict(counts),
        media=session.scalar(media) or 0,
        grants=tuple(session.scalars(grants)),
        balance=session.scalar(select(Account.balance).where(Account.subject == subject)),
        turns=turns,
    )


def _count(session: Session, collection: Collection, subject: str) -> int:
    own = select_rows(collection).where(owned_by(collection, subject))
    return session.scalar(own.with_only_columns(func.count())) or 0


def _count_undeclared(
    session: Session, declared: Iterable[Collection], subject: str
) -> Counter[str]:
    """Count the records of collections that are not declared any more, or not here."""
    shared = [collection.name for collection in declared if collection.model is Record]
    names = select(Record.collection, func.count()).group_by(Record.collection)
    left = names.where(Record.owner == subject, Record.collection.not_in(shared))
    return Counter({row[0]: row[1] for row in session.execute(left)})
