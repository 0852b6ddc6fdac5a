"""The payer of a turn or call, which is fixed when its hold is made, and its starting credits.

Source: docs/contract.md, sections 0.14.3 and 0.14.4.
"""

from dataclasses import dataclass
from typing import Literal

from config import Settings
from service.auth.tokens import Claims
from service.auth.users import Caller
from service.billing.allowances import TokenLimit, limit_of
from service.billing.units import to_micro_credits

PaidBy = Literal["user", "owner"]  # a payer, as clients see it


@dataclass(frozen=True)
class Payer:
    """The subject whose account is charged. The owner's balance is never shown to a caller.

    `limit` is the limit of the caller's limited token, which applies to every account that pays.
    `budget` is what the subject may spend in a day, in micro-credits; the owner has none.
    """

    subject: str
    is_owner: bool
    limit: TokenLimit | None = None
    budget: int | None = None

    @property
    def token_id(self) -> str | None:
        """The id of the limited token, if it has a limit of credits."""
        return self.limit.token_id if self.limit else None


def starting_amount(settings: Settings) -> int:
    """Return the micro-credits that a new account gets."""
    return to_micro_credits(settings.starting_credits)


def payer_of(
    forwarded: Claims | Caller | None,
    owner_subject: str,
    caller: Caller | None,
    budget: int | None,
) -> Payer:
    """Return the payer: the subject of the forwarded token, or the app's owner without one.

    The owner's subject is `OWNER.of(app).subject`. With developer billing the forwarded token is
    the owner's own, so the owner pays too. `caller` sends the request, and `budget` is the
    caller's.
    """
    subject = forwarded.subject if forwarded else owner_subject
    is_owner, limit = subject == owner_subject, limit_of(caller) if caller else None
    return Payer(subject, is_owner, limit, None if is_owner else budget)
