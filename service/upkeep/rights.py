"""Changes of a user's rights by an operator: disabling, and a role that overrides the token's.

Source: docs/contract.md, section 3.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.auth.models import User
from service.chat import claims
from service.chat.collections import USERS
from service.chat.models import Claim
from service.records import writes
from service.records.collection import Values
from service.upkeep.actions import acting


def set_disabled(subject: str, disabled: bool) -> bool:
    """Disable or enable a user. Returns False if there is no such user."""
    return change(subject, {"disabled": disabled})


def set_role(subject: str, role: str | None) -> bool:
    """Override the role that the token claims; None removes the override.

    Returns False if there is no such user.
    """
    return change(subject, {"role": role})


def change(subject: str, values: Values, by: str | None = None) -> bool:
    """Set `role`, `disabled` or both. `by` is the admin's subject, or None for a command.

    A disabled user's running turns are stopped. Values that are set already are not written again.
    Returns False if there is no such user.
    """
    with acting(by) as act:
        user = lock_user(act.session, subject)
        if user is None:
            return False
        changes = {name: value for name, value in values.items() if value != getattr(user, name)}
        for action, facts in _actions(user, changes):
            act.record(action, subject, facts)
        if changes:
            writes.change(act.session, USERS, user, changes)
        if values.get("disabled"):
            claims.request_ends(act.session, Claim.user_id == subject, "stop")
    return True


def lock_user(session: Session, subject: str) -> User | None:
    """Return the user's row, locked until the transaction ends."""
    return session.scalar(select(User).where(User.subject == subject).with_for_update())


def _actions(user: User, changes: Values) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the actions for the audit, with their facts."""
    if "role" in changes:
        yield "role", {"role": changes["role"], "before": user.role}
    if "disabled" in changes:
        yield ("disable" if changes["disabled"] else "enable"), {}
