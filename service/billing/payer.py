"""Who pays: fixed when a hold is made. Source: specification, "Authentication", 4 and 5."""

from dataclasses import dataclass

from service.auth.tokens import Claims
from service.auth.users import Caller


@dataclass(frozen=True)
class Payer:
    """The subject whose account is charged; of the owner's, nothing is told to a caller."""

    subject: str
    is_owner: bool


def payer_of(forwarded: Claims | Caller | None, owner_subject: str) -> Payer:
    """The subject of the forwarded token, or the app's owner when none is passed.

    `app.extensions["owner"].subject` is the owner's; forwarding the owner's own token, as
    developer billing does, makes the owner pay too.
    """
    subject = forwarded.subject if forwarded else owner_subject
    return Payer(subject, subject == owner_subject)
