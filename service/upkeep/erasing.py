"""Erase a user: every record and grant is deleted, and the ledger stays under a pseudonym.

Source: docs/contract.md, section 7.
"""

import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import delete, or_, select, update
from sqlalchemy.orm import Session

from service.activity.calls import INTEGRATION_CALLS
from service.activity.models import IntegrationCall
from service.auth import erasure
from service.auth.users import rights_cache
from service.billing.models import Account, Allowance, Entry, Hold
from service.chat import indexed_words, journal
from service.chat.collections import AI_MESSAGES, AI_TURNS, USERS
from service.chat.models import Chat, Claim, JournalEntry, Turn, Undo
from service.integrations.consent.connections import Connections
from service.integrations.models import (
    Consent,
    CountedCalls,
    Grant,
    IdempotencyKey,
    IntegrationJob,
    KeptAnswer,
)
from service.mcp.models import UsedState
from service.media.models import MediaItem
from service.records import outbox, writes
from service.records.collection import Collection
from service.records.models import CreateKey, Outbox, Record
from service.records.storage import select_rows
from service.records.store import owned_by
from service.sign_in.models import ConsoleSession
from service.upkeep import actions, inventories
from service.upkeep.inventories import Inventory
from service.upkeep.rights import lock_user

INTERRUPTED = "it was interrupted"
BATCH = 500  # records that one statement deletes

# In the order in which the sweeper deletes them.
SWEPT = (
    Consent,
    IdempotencyKey,
    IntegrationJob,
    CountedCalls,
    KeptAnswer,
    CreateKey,
    UsedState,
    Allowance,
    IntegrationCall,
    ConsoleSession,
)


@dataclass(frozen=True)
class ErasureReport:
    """The result of an erasure.

    `known`: whether anything was stored of the subject. `inventory`: what was stored when the
    erasure began. `unrevoked`: the integrations whose grant could not be revoked at the vendor,
    each with the reason.
    """

    known: bool
    inventory: Inventory
    unrevoked: Mapping[str, str]

    def __bool__(self) -> bool:
        return self.known


def erase(
    subject: str, collections: Iterable[Collection], connections: Connections
) -> ErasureReport:
    """Delete a user with every record and grant.

    The subject's earlier tokens are no longer valid. Grants are revoked after the commit, so a
    vendor that fails does not prevent the erasure. A sweep later removes the media and the words of
    deleted messages.
    """
    pseudonym = f"erased-{uuid.uuid4().hex}"
    indexed_words.take_out_all(subject)
    with actions.acting(None) as act:
        session = act.session
        # In the order of a turn, which locks its chat and then, through a foreign key, its user.
        chats = select(Chat.seq).where(Chat.user_id == subject).order_by(Chat.seq)
        session.execute(chats.with_for_update())
        user = lock_user(session, subject)  # from here on, new writes for this user wait
        inventory = inventories.take(session, subject, collections)
        _end_turns(session, subject, pseudonym)
        paid = _rename_account(session, subject, pseudonym)
        grants = connections.take_all(session, subject)
        if user:
            journal.name_owners(session)  # while the records exist
            _erase_records(session, subject, pseudonym, collections)
        _erase_traces(session, subject, pseudonym)
        session.flush()
        if user:
            session.delete(user)
        actions.anonymise(session, subject, pseudonym)
        known = paid or user is not None or bool(grants)
        if known:
            erasure.remember(session, subject)
            act.record("erase", pseudonym, {})
    rights_cache.forget(subject)
    return ErasureReport(known, inventory, _revoke(grants, connections))


def _revoke(grants: list[Grant], connections: Connections) -> dict[str, str]:
    """Revoke grants whose rows are deleted; returns those that are not revoked, with the reasons.

    Ctrl+C ends only this step, because the list of remaining grants can be printed only now.
    """
    reasons: dict[str, str | None] = {grant.integration: INTERRUPTED for grant in grants}
    with suppress(KeyboardInterrupt):
        for grant in grants:
            reasons[grant.integration] = connections.revoke(grant)
    return {name: reason for name, reason in reasons.items() if reason}


def _end_turns(session: Session, subject: str, pseudonym: str) -> None:
    """Request the end of the user's turns. The claims stay.

    Their workers interrupt the turns and drop the claims.
    """
    of_user = Claim.user_id == subject
    session.execute(select(Claim.turn_id).where(of_user).order_by(Claim.turn_id).with_for_update())
    request = {"user_id": pseudonym, "user_message_id": Claim.turn_id, "end_reason": "deleted"}
    session.execute(update(Claim).where(of_user).values(**request))


def _rename_account(session: Session, subject: str, pseudonym: str) -> bool:
    """Give the account the pseudonym; returns whether there was an account.

    The end of a turn locks its claim, then its hold, then its account. Renaming locks the account
    first, so the holds are locked before.
    """
    holds = select(Hold.seq).where(Hold.account == subject).order_by(Hold.seq)
    session.execute(holds.with_for_update())
    renamed = update(Account).where(Account.subject == subject).values(subject=pseudonym)
    if session.execute(renamed.returning(Account.seq)).first() is None:
        return False
    # An admin's note on a grant may describe the person.
    grants = update(Entry).where(Entry.account == pseudonym, Entry.kind == "grant")
    session.execute(grants.values(facts={}))
    return True


def _erase_records(
    session: Session, subject: str, pseudonym: str, collections: Iterable[Collection]
) -> None:
    for collection in collections:
        # The user is deleted last, and messages with their chats. Turns stay, under a pseudonym.
        # Calls are deleted in one statement.
        if collection in (USERS, AI_MESSAGES, AI_TURNS, INTEGRATION_CALLS):
            continue
        if collection.model is Record and not collection.on_delete:
            _erase_plain_records(session, subject, pseudonym, collection)
            continue
        of_subject = select_rows(collection).where(owned_by(collection, subject))
        ordered = of_subject.order_by(collection.model.seq)
        for row in session.scalars(ordered.with_for_update()):
            writes.remove(session, collection, row)
    # The remaining records are in collections that are not declared any more, or not here.
    session.flush()
    session.execute(delete(Record).where(Record.owner == subject))


def _erase_plain_records(
    session: Session, subject: str, pseudonym: str, collection: Collection
) -> None:
    """Delete the records of a collection that has no `on_delete`, without reading their data.

    Until the transaction ends, no subscriber on PostgreSQL gets changes, and nobody else can write
    on SQLite. Deleted one at a time, 10,000 records took 5.3 s on PostgreSQL instead of 0.7 s.
    """
    of_subject = select_rows(collection).where(owned_by(collection, subject))
    ids = of_subject.order_by(Record.seq).with_only_columns(Record.record_id).with_for_update()
    every = session.scalars(ids).all()
    for start in range(0, len(every), BATCH):
        batch = every[start : start + BATCH]
        removals = [outbox.change(collection, pseudonym, {"recordId": id}, None) for id in batch]
        outbox.append(session.connection(), [{**row, "before": None} for row in removals])
        session.execute(delete(Record).where(Record.record_id.in_(batch)))


def _erase_traces(session: Session, subject: str, pseudonym: str) -> None:
    """Delete the subject's other rows, and make the outbox anonymous.

    Subscribers may still have to learn that records were deleted, but not who owned them.
    """
    for model in SWEPT:
        session.execute(delete(model).where(model.user_id == subject))
    # After the calls, because a sweeper that deletes calls now writes to the outbox.
    anonymous = {"before": None, "after": None, "owner": pseudonym}
    session.execute(update(Outbox).where(Outbox.owner == subject).values(**anonymous))
    # The user's own record. Clients choose some ids, so another user's record may have the same id.
    of_itself = (Outbox.owner == pseudonym, Outbox.record_id == subject)
    session.execute(delete(Outbox).where(*of_itself))
    traces = or_(JournalEntry.user_id == subject, JournalEntry.owner == subject)
    session.execute(
        select(JournalEntry.seq).where(traces).order_by(JournalEntry.seq).with_for_update()
    )
    session.execute(delete(JournalEntry).where(JournalEntry.user_id == subject))
    # Another user's assistant may have changed the subject's records.
    session.execute(update(JournalEntry).where(JournalEntry.owner == subject).values(**anonymous))
    session.execute(delete(Undo).where(Undo.user_id == subject))
    # The sweeper deletes media in batches, because they are too large for this transaction.
    nobody = {"user_id": None, "name": "", "is_ready": False}
    session.execute(update(MediaItem).where(MediaItem.user_id == subject).values(**nobody))
    anonymous_numbers = {"user_id": pseudonym, "user_message_id": ""}
    session.execute(update(Turn).where(Turn.user_id == subject).values(**anonymous_numbers))
