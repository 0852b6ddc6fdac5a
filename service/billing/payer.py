"""The payer of a turn or call, which is fixed when its hold is made.

Source: docs/contract.md, sections 0.14.3 and 0.14.4.
"""

from dataclasses import dataclass

from service.auth.tokens import Claims
from service.auth.users import Caller


@dataclass(frozen=True)
class Payer:
    """The subject whose account is charged. The owner's balance is never shown to a caller."""

    subject: str
    is_owner: bool


def payer_of(forwarded: Claims | Caller | None, owner_subject: str) -> Payer:
    """Return the subject of the forwarded token, or the app's owner if there is none.

    The owner's subject is `app.extensions["owner"].subject`. With developer billing the forwarded
    token is the owner's own, so the owner pays as well.
    """
    subject = forwarded.subject if forwarded else owner_subject
    return Payer(subject, subject == owner_subject)
