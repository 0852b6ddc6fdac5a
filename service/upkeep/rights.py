"""An operator's changes of a user's rights: disabling, and a role other than the token's.

Source: docs/contract.md, section 3.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.auth.models import User
from service.chat.collections import USERS
from service.database.access import write_transaction
from service.records import writes
from service.records.collection import Values


def set_disabled(subject: str, disabled: bool) -> bool:
    """False when there is no such user."""
    return _change(subject, {"disabled": disabled})


def set_role(subject: str, role: str | None) -> bool:
    """Override the role that the token claims; None removes the override.

    False when there is no such user.
    """
    return _change(subject, {"role": role})


def lock_user(session: Session, subject: str) -> User | None:
    """The user's row, locked until the transaction ends."""
    return session.scalar(select(User).where(User.subject == subject).with_for_update())


def _change(subject: str, values: Values) -> bool:
    with write_transaction() as session:
        user = lock_user(session, subject)
        if user:
            writes.change(session, USERS, user, values)
        return user is not None
