"""What a call may cost, and who pays it."""

from service.billing.payer import Payer
from service.integrations.calling.admission import Admitted
from service.integrations.calling.attempt import Charge


def charge_of(admitted: Admitted, payer: Payer, starting: int, grace: float) -> Charge | None:
    """The charge of a call; None if it can't cost anything.

    `starting` is in micro-credits. The hold outlives the endpoint's own time by `grace` seconds.
    """
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
        payer=payer,
        most=most,
        starting=starting,
        seconds=endpoint.seconds + grace,
        what=endpoint.name,
        facts={name: value for name, value in facts.items() if value},
    )
