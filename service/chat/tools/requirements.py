"""What a tool call may need from the user before it is made: a grant, and an approval.

Source: docs/contract.md, section 14.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.billing.payer import PaidBy
from service.web.errors import Forbidden

TOOL_SECONDS = 15.0


@dataclass(frozen=True)
class NeededGrant:
    """Scopes that the user has not granted to the endpoint's integration, `provider`.

    `is_granted` checks it again, in an app context. `auth_url` is where the user consents, if a
    call has returned it.
    """

    endpoint: str
    provider: str
    scopes: tuple[str, ...]
    is_granted: Callable[[], bool] = field(compare=False)
    auth_url: str | None = None


@dataclass(frozen=True)
class NeededApproval:
    """A call that the user must allow: `body` will be sent, and it costs at most `credits`.

    `paid_by` is the user or the app's owner. `check` raises `ServiceError` if the call would be
    refused although the user allows it, because nobody can pay for it. It needs an app context.
    """

    endpoint: str
    summary: str
    body: Mapping[str, Any]
    credits: float
    paid_by: PaidBy = "user"
    check: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)

    @property
    def costs_user(self) -> bool:
        """Whether the call may cost the user credits."""
        return self.credits > 0 and self.paid_by == "user"


@dataclass(frozen=True)
class Needs:
    """What one call needs from the user. `seconds` is the time limit of the call itself."""

    grant: NeededGrant | None = None
    approval: NeededApproval | None = None
    seconds: float = TOOL_SECONDS

    @property
    def of_user(self) -> bool:
        """Whether the user must do something first."""
        return bool(self.grant or self.approval)


NOTHING = Needs()


class GrantMissing(Forbidden):
    """The provider has refused a call because a scope is missing. The user can grant it."""

    message = "The user has not connected the account, or not allowed this."

    def __init__(self, grant: NeededGrant) -> None:
        super().__init__()
        self.grant = grant
