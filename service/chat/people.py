"""What an operator does to a user: other rights, or all that is known of them erased.

Source: contract sections 3 and 7.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.auth import erasure
from service.auth.models import User
from service.auth.users import rights_cache
from service.billing.models import Account, Hold
from service.chat import journal
from service.chat.collections import AI_MESSAGES, USERS
from service.chat.models import Chat, Claim, JournalEntry, Turn
from service.database import write_transaction
from service.integrations.connections import Connections
from service.integrations.models import Consent, IdempotencyKey, IntegrationJob
from service.records import writes
from service.records.collection import Collection, Values
from service.records.models import CreateKey, Outbox
from service.records.storage import rows_of
from service.records.store import owned_by


def set_disabled(subject: str, disabled: bool) -> bool:
    """False when there is no such user."""
    return _change(subject, {"disabled": disabled})


def set_role(subject: str, role: str | None) -> bool:
    """Override the role that the token claims; None takes the override away."""
    return _change(subject, {"role": role})


@dataclass(frozen=True)
class Erased:
    """`known`: whether there was anything of the subject. `unrevoked`: integrations whose vendor
    could not be told to revoke, each with the reason."""

    known: bool
    unrevoked: Mapping[str, str]

    def __bool__(self) -> bool:
        return self.known


def erase(subject: str, collections: Iterable[Collection], connections: Connections) -> Erased:
    """Delete a user with every record and grant.

    The ledger stays, under a pseudonym. The subject's earlier tokens do not count any more. Vendors
    come last: a vendor that fails does not keep a user from being erased.
    """
    pseudonym = f"erased-{uuid.uuid4().hex}"
    with write_transaction() as session:
        # In the order of a turn, which locks its chat and then, by a foreign key, its user.
        chats = select(Chat.seq).where(Chat.user_id == subject).order_by(Chat.seq)
        session.execute(chats.with_for_update())
        user = _user(session, subject)  # from here on, new writes in its name wait
        _end_turns(session, subject, pseudonym)
        paid = _rename_account(session, subject, pseudonym)
        grants = connections.take_all(session, subject)
        if user:
            journal.name_owners(session)  # while the records are there
            _erase_records(session, subject, collections)
        _erase_traces(session, subject, pseudonym)
        session.flush()
        if user:
            session.delete(user)
        known = paid or user is not None or bool(grants)
        if known:
            erasure.remember(session, subject)
    rights_cache.forget(subject)
    told = {grant.integration: connections.revoke(grant) for grant in grants}
    return Erased(known, {name: reason for name, reason in told.items() if reason})


def _end_turns(session: Session, subject: str, pseudonym: str) -> None:
    """Their claims are not deleted: so their workers learn that they shall end, and drop them."""
    ended = {"user_id": pseudonym, "user_message_id": Claim.turn_id, "end_reason": "deleted"}
    session.execute(update(Claim).where(Claim.user_id == subject).values(**ended))


def _rename_account(session: Session, subject: str, pseudonym: str) -> bool:
    """Whether there was one. Claim, hold, account is the order of whatever ends; a new name locks
    the account first, and then each of its holds."""
    holds = select(Hold.seq).where(Hold.account == subject).order_by(Hold.seq)
    session.execute(holds.with_for_update())
    renamed = update(Account).where(Account.subject == subject).values(subject=pseudonym)
    return session.execute(renamed.returning(Account.seq)).first() is not None


def _erase_records(session: Session, subject: str, collections: Iterable[Collection]) -> None:
    for collection in collections:
        if collection in (USERS, AI_MESSAGES):  # the user goes last, messages with their chats
            continue
        for row in session.scalars(rows_of(collection).where(owned_by(collection, subject))):
            writes.remove(session, collection, row)


def _erase_traces(session: Session, subject: str, pseudonym: str) -> None:
    """Subscribers may still have to hear that records are gone, but not whose they were."""
    nobody = {"before": None, "after": None, "owner": pseudonym}
    session.execute(update(Outbox).where(Outbox.owner == subject).values(**nobody))
    session.execute(delete(Outbox).where(Outbox.record_id == subject))
    session.execute(delete(JournalEntry).where(JournalEntry.user_id == subject))
    # Where somebody else's assistant changed it
    erased = {"before": None, "after": None, "owner": pseudonym}
    session.execute(update(JournalEntry).where(JournalEntry.owner == subject).values(**erased))
    for theirs in (Consent, IdempotencyKey, IntegrationJob, CreateKey):  # in the sweeper's order
        session.execute(delete(theirs).where(theirs.user_id == subject))
    numbers = {"user_id": pseudonym, "user_message_id": ""}
    session.execute(update(Turn).where(Turn.user_id == subject).values(**numbers))


def _change(subject: str, values: Values) -> bool:
    with write_transaction() as session:
        user = _user(session, subject)
        if user:
            writes.change(session, USERS, user, values)
        return user is not None


def _user(session: Session, subject: str) -> User | None:
    return session.scalar(select(User).where(User.subject == subject).with_for_update())
