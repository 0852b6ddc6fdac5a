"""Determine who pays for a call, and what it may cost."""

from flask import Flask

from config_values import Billing
from service.app_keys import APP_SETTINGS
from service.auth.owner import OWNER_CHECK
from service.auth.users import OWNER, Caller
from service.billing import affordability
from service.billing.budgets import budget_of
from service.billing.payer import PaidBy, Payer, payer_of, starting_amount
from service.integrations.calling.admission import Admitted
from service.integrations.calling.attempt import Charge
from service.integrations.declare.endpoint import Endpoint

GRACE_SECONDS = 60.0  # that a hold outlives its call: the token may have to be refreshed first


class Charging:
    """The charges of an app's calls."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._settings = APP_SETTINGS.of(app)

    def billing(self, endpoint: Endpoint) -> Billing:
        """Return whose token is forwarded, according to `INTEGRATIONS_BILLING`."""
        return self._settings.integrations_billing.get(endpoint.vendor.integration, "user")

    def paid_by(self, endpoint: Endpoint) -> PaidBy:
        """Return whose account is charged: with developer billing the app owner's."""
        return "owner" if self.billing(endpoint) == "developer" else "user"

    def charge_of(self, admitted: Admitted) -> Charge | None:
        """Return the charge of a call, or None if it can't cost anything. Raises `Unavailable`."""
        endpoint, request = admitted.endpoint, admitted.request
        most = endpoint.most(admitted.params)
        if not most:
            return None
        facts = {"integration": endpoint.vendor.integration, "approval": request.approval}
        if request.door:
            facts["door"] = request.door
        if request.door in ("chat", "mcp"):
            facts["call"] = request.idempotency_key  # the tool call's id
        return Charge(
            payer=self._payer(endpoint, request.caller),
            most=most,
            starting=starting_amount(self._settings),
            seconds=endpoint.seconds + GRACE_SECONDS,
            what=endpoint.name,
            facts={name: value for name, value in facts.items() if value},
        )

    def check_affordable(self, endpoint: Endpoint, caller: Caller, most: int) -> None:
        """Raise `InsufficientCredits` if a call that may cost `most` would be refused now.

        Holds nothing. Needs an app context. Raises `Unavailable`.
        """
        affordability.check(self._payer(endpoint, caller), most, starting_amount(self._settings))

    def _payer(self, endpoint: Endpoint, caller: Caller) -> Payer:
        """Return the payer: the subject of the forwarded token, within the caller's own limit.

        Raises `Unavailable` if it is the owner's token, and this token could not be verified yet.
        """
        owner, forwarded = OWNER.of(self._app), caller
        if self.paid_by(endpoint) == "owner":
            OWNER_CHECK.of(self._app).require()
            forwarded = owner
        budget = budget_of(self._settings.budgets, caller)
        return payer_of(forwarded, owner.subject, caller, budget)
