"""The time that a call may take, from its start until its answer is stored.

An endpoint's own time begins when the call has its token. A caller that gives up earlier would
leave a call that the vendor has carried out without its charge, or not get its answer.
"""

from service.database.refresh_leases import INSIST_SECONDS, PATIENCE_SECONDS
from service.integrations.consent.authority import ANSWER_SECONDS
from service.integrations.declare.endpoint import Endpoint

MARGIN_SECONDS = 5.0  # for everything but the token and the vendor
# A call may wait for another one's refresh first, and then refresh and store the token itself.
TOKEN_SECONDS = PATIENCE_SECONDS + ANSWER_SECONDS + INSIST_SECONDS


def call_seconds(endpoint: Endpoint) -> float:
    """Return the most seconds of a call, without the wait for its job."""
    return endpoint.seconds + MARGIN_SECONDS + (TOKEN_SECONDS if endpoint.scope else 0)
